// A file that says where audit events are sent, in the format of a kubeconfig as kube-apiserver has it: server, CA, credentials.
import { readFileSync } from "node:fs";
import type { PostAuditEvents } from "@kubewright/apiserver";
import { ConfigError, parseKubeConfig, resolveContext, undiciTransport } from "@kubewright/client";

/** How long the receiver has to answer, in milliseconds, as kube-apiserver has it. */
const requestTimeout = 30_000;

/** Sends events until it is closed. */
export interface AuditReceiver {
  readonly post: PostAuditEvents;
  close(): Promise<void>;
}

/** Reads the file. Throws where it is none, and names neither tokens nor keys. */
export async function auditReceiver(file: string): Promise<AuditReceiver> {
  const { transport: options } = resolveContext(await parseKubeConfig(textOf(file), file));
  const transport = undiciTransport({
    ...options,
    cluster: `audit webhook (${new URL(options.server).origin})`,
    answerTimeout: requestTimeout,
    // The audit webhook retries by itself.
    retry: false,
    tracing: false,
  });
  const path = new URL(options.server).pathname.replace(/\/+$/, "") === "" ? "/" : "";
  return {
    close: () => transport.close(),
    post: async (bytes) => {
      const { status, body } = await transport({
        method: "POST",
        path,
        query: new URLSearchParams({ timeout: `${requestTimeout / 1000}s` }),
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          "user-agent": "kube-apiserver",
        },
        body: { kind: "bytes", bytes },
      });
      // Whatever it says besides is nobody's concern, but the connection is free again only when it was read.
      if (body.kind === "stream") for await (const _chunk of body.chunks);
      if (status < 200 || status > 299) throw new Error(`the audit webhook answered with status ${status}`);
    },
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
}
