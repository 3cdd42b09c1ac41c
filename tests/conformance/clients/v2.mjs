// The second TypeScript SDK, in either era of the protocol.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { asked, told, visit } from "./visit.mjs";

const { way, target, calls, era } = asked();
const options = era === "modern" ? { versionNegotiation: { mode: "auto" } } : {};
const client = new Client({ name: "visitor", version: "1.0.0" }, options);
const transport =
  way === "stdio"
    ? new StdioClientTransport({ command: target[0], args: target.slice(1) })
    : new StreamableHTTPClientTransport(new URL(target));
await client.connect(transport);
told({ ...(await visit(client, calls)), revision: client.getNegotiatedProtocolVersion() });
await client.close();
