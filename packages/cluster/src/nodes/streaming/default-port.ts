// The default server at the ports of a simulated pod: a small HTTP server that names the pod, so that a forwarded port shows
// where it leads.
import type { PortCall } from "../rules/rule.js";

const endOfHeaders = "\r\n\r\n";
const longestRequest = 64 * 1024;

export async function answerHttp({ pod, port, received, send }: PortCall): Promise<void> {
  let text = "";
  for await (const chunk of received) {
    text += Buffer.from(chunk).toString("latin1");
    if (text.length > longestRequest) return;
    const end = text.indexOf(endOfHeaders);
    if (end === -1) continue;
    const [line = ""] = text.split("\r\n", 1);
    await send(response(line, `${pod.metadata?.namespace}/${pod.metadata?.name}`, port));
    return;
  }
}

function response(requestLine: string, pod: string, port: number): string {
  const isHttp = /^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(requestLine);
  const body = isHttp ? `pod ${pod}, port ${port}: ${requestLine}\n` : `pod ${pod}, port ${port}\n`;
  const lines = [
    `HTTP/1.1 ${isHttp ? "200 OK" : "400 Bad Request"}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${lines.join("\r\n")}${endOfHeaders}${requestLine.startsWith("HEAD ") ? "" : body}`;
}
