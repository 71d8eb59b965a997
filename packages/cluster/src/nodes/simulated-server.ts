// Servers in simulated containers, as far as rules describe them: the ports they listen on, and the folder they serve.
import type { Container, Probe } from "@kubewright/api";
import type { ProbeOutcome } from "./container-runtime.js";
import type { Effects } from "./rules/effects.js";
import type { FileTree } from "./shell/file-tree.js";

/** The outcome of a probe of a port; undefined where rules say nothing about it. */
export function probeServer(
  { httpGet, tcpSocket, grpc }: Probe,
  { container, podIP, files }: { container: Container; podIP: string; files: FileTree | undefined },
  { listens, serves }: Readonly<Effects>,
): ProbeOutcome | undefined {
  const named = httpGet?.port ?? tcpSocket?.port ?? grpc?.port;
  if (named === undefined) return undefined;
  const port = container.ports?.find(({ name }) => name === named)?.containerPort ?? Number(named);
  if (listens && !listens.includes(port)) {
    const refused = `dial tcp ${podIP}:${port}: connect: connection refused`;
    const path = httpGet?.path ?? "/";
    return failed(httpGet ? `Get "http://${podIP}:${port}${path}": ${refused}` : refused);
  }
  if (serves === undefined || !httpGet) return undefined;
  const [path = "/"] = (httpGet.path ?? "/").split(/[?#]/);
  const found = `${serves}/${path}`;
  return files?.read(found) !== undefined || files?.isFolder(found)
    ? { success: true, holdsFor: Number.POSITIVE_INFINITY }
    : failed("HTTP probe failed with statuscode: 404");
}

const failed = (message: string): ProbeOutcome => ({
  success: false,
  message,
  holdsFor: Number.POSITIVE_INFINITY,
});
