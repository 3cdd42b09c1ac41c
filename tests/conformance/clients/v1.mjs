// The first TypeScript SDK, which knows the protocol with a handshake only.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { asked, told, visit } from "./visit.mjs";

const { way, target, calls } = asked();
const client = new Client({ name: "visitor", version: "1.0.0" });
const transport =
  way === "stdio"
    ? new StdioClientTransport({ command: target[0], args: target.slice(1) })
    : new StreamableHTTPClientTransport(new URL(target));
await client.connect(transport);
told(await visit(client, calls));
await client.close();
