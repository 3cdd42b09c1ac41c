// What every client does: look round, make the calls it was given, and print all it saw as one line of JSON.

export async function visit(client, calls) {
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const texts = {};
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    texts[uri] = contents[0].text;
  }
  const answers = [];
  for (const { tool, arguments: given } of calls) {
    const answer = await client.callTool({ name: tool, arguments: given });
    answers.push({
      text: answer.content[0].text,
      structured: answer.structuredContent,
      isError: answer.isError ?? false,
    });
  }
  return { tools, texts, answers, server: client.getServerVersion() };
}

export function asked() {
  const [way, target, calls, era] = process.argv.slice(2);
  return { way, target: JSON.parse(target), calls: JSON.parse(calls), era };
}

export function told(seen) {
  process.stdout.write(JSON.stringify(seen) + "\n");
}
