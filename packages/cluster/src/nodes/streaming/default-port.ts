// The default server at the ports of a simulated pod: a small HTTP server that names the pod, so that a forwarded port shows
// where it leads, or answers as a rule has it.
import { expandReferences } from "../expand-references.js";
import type { PortCall } from "../rules/rule.js";

const endOfHeaders = "\r\n\r\n";
const longestRequest = 64 * 1024;

export async function answerHttp(
  { pod, port, received, send }: PortCall,
  answer: string | undefined,
): Promise<void> {
  const { namespace = "", name = "" } = pod.metadata ?? {};
  const known = new Map([
    ["POD_NAME", name],
    ["POD_NAMESPACE", namespace],
  ]);
  let text = "";
  for await (const chunk of received) {
    text += Buffer.from(chunk).toString("latin1");
    if (text.length > longestRequest) return;
    const end = text.indexOf(endOfHeaders);
    if (end === -1) continue;
    const [line = ""] = text.split("\r\n", 1);
    const usual = `pod ${namespace}/${name}, port ${port}`;
    await send(response(line, usual, answer === undefined ? undefined : expandReferences(answer, known)));
    return;
  }
}

function response(requestLine: string, server: string, answer: string | undefined): string {
  const isHttp = /^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(requestLine);
  const usual = isHttp ? `${server}: ${requestLine}\n` : `${server}\n`;
  const body = isHttp ? (answer ?? usual) : usual;
  const lines = [
    `HTTP/1.1 ${isHttp ? "200 OK" : "400 Bad Request"}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${lines.join("\r\n")}${endOfHeaders}${requestLine.startsWith("HEAD ") ? "" : body}`;
}
