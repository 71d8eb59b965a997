// Records everything that happens to every kind, as every watcher of a cluster would see it.

import type { VirtualClock } from "@kubewright/api";
import type { Client, DynamicResource } from "@kubewright/client";

export interface History {
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Watches all there is from now on. What is drawn from outside the seed (keys and certificates) is left out. */
export async function recordHistory(client: Client, clock: VirtualClock): Promise<History> {
  const lines: string[] = [];
  const stop = new AbortController();
  const watches: Promise<void>[] = [];
  for (const resource of await client.resources()) {
    if (!resource.verbs.includes("watch")) continue;
    watches.push(follow(client, resource, stop.signal, (line) => lines.push(`${clock.now()} ${line}`)));
  }
  await clock.settle();
  return {
    lines,
    async stop() {
      stop.abort();
      await Promise.all(watches);
    },
  };
}

async function follow(
  client: Client,
  resource: DynamicResource,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  const timeoutSeconds = 30 * 24 * 60 * 60;
  try {
    for await (const { type, object } of client.watch(resource, { signal, timeoutSeconds }))
      tell(`${type} ${resource.plural}.${resource.group} ${JSON.stringify(object, withoutCertificates)}`);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const withoutCertificates = (key: string, value: unknown): unknown => (key === "ca.crt" ? "" : value);
