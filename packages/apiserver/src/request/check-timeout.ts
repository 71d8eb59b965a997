// `timeout` in the query: how long a client is ready to wait for an answer, as Go writes durations.

import { parseDuration, type TransportRequest } from "@kubewright/api";
import { badRequest } from "@kubewright/kinds";

import type { RequestInfo } from "./request-info.js";

const longRunning = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** Throws 400 for what is no duration. Answers come in time here, so it is not looked at otherwise. */
export function checkTimeout({ query }: TransportRequest, info: RequestInfo): void {
  const timeout = query?.get("timeout");
  if (!timeout || isLongRunning(info)) return;
  try {
    parseDuration(timeout);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`invalid timeout specified in the request URL - ${why}`);
  }
}

const isLongRunning = (info: RequestInfo): boolean =>
  info.kind === "resource" &&
  (info.verb === "watch" || info.verb === "proxy" || longRunning.has(info.subresource ?? ""));
