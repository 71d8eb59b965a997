// The subresources of pods: logs, programs inside, ports, eviction, binding.
import type { Duplex } from "node:stream";
import { Pod } from "@kubewright/api";
import type { Caller } from "../caller.js";
import type { DeleteOptions, ObjectOptions, WriteOptions } from "../options.js";
import { queryOf, writeQuery } from "../query.js";
import { deletionBody } from "../request-parts.js";
import { openWebSocket } from "../websocket/open-websocket.js";
import { channelProtocols } from "./channels.js";
import { ExecSession } from "./exec-session.js";
import { type LogOptions, logLines, logQuery } from "./log.js";
import { portStream } from "./port-forward.js";

/** Options of `attach`; and of `exec`. */
export interface AttachOptions extends ObjectOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  /** The program reads input. Default: off. */
  readonly stdin?: boolean | undefined;
  /** Default: on. */
  readonly stdout?: boolean | undefined;
  /** Default: on, but off with a terminal, which merges stderr into stdout. */
  readonly stderr?: boolean | undefined;
  /** In a terminal. */
  readonly tty?: boolean | undefined;
}

/** What can be done with a pod beyond reading and writing it: logs, programs, ports, eviction, binding. */
export class Pods {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The lines of a container's log.
   *
   * @example
   * for await (const line of client.pods.log("web-0", { namespace: "shop", follow: true })) console.log(line);
   */
  log(name: string, options: LogOptions = {}): AsyncGenerator<string, void, undefined> {
    const call = this.#caller.object("read", Pod, name, { ...options, subresource: "log" });
    return logLines(this.#caller.context, {
      ...call,
      method: "GET",
      accept: "*/*",
      query: logQuery(options),
    });
  }

  /**
   * Runs a program in a container.
   *
   * @example
   * const session = await client.pods.exec("web-0", ["cat", "/etc/hosts"], { namespace: "shop" });
   * const { stdout, exitCode } = await session.output();
   */
  exec(name: string, command: readonly string[], options: AttachOptions = {}): Promise<ExecSession> {
    return this.#session("exec", name, command, options);
  }

  /** Joins the program a container runs. */
  attach(name: string, options: AttachOptions = {}): Promise<ExecSession> {
    return this.#session("attach", name, [], options);
  }

  /** Connects to a port of a pod. */
  async portForward(name: string, port: number, options: ObjectOptions = {}): Promise<Duplex> {
    const call = this.#caller.object("connect to", Pod, name, { ...options, subresource: "portforward" });
    const query = queryOf({ ports: port });
    const socket = await openWebSocket(this.#caller, { ...call, query }, [channelProtocols.v4]);
    return portStream(call.what, socket, this.#caller.context.clock);
  }

  /** Deletes a pod if disruption budgets allow it; fails with 429 (`isTooManyRequests`) while they do not. */
  async evict(name: string, options: DeleteOptions = {}): Promise<void> {
    const call = this.#caller.object("create", Pod, name, { ...options, subresource: "eviction" });
    const body = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name },
      deleteOptions: deletionBody(options),
    };
    const query = queryOf({ dryRun: options.dryRun ? "All" : undefined });
    await this.#caller.perform({ ...call, method: "POST", query, body });
  }

  /** Assigns a pod to a node, as a scheduler does. */
  async bind(name: string, node: string, options: WriteOptions = {}): Promise<void> {
    const call = this.#caller.object("create", Pod, name, { ...options, subresource: "binding" });
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name },
      target: { apiVersion: "v1", kind: "Node", name: node },
    };
    const query = writeQuery(options, this.#caller.fieldManager);
    await this.#caller.perform({ ...call, method: "POST", query, body });
  }

  async #session(
    subresource: "exec" | "attach",
    name: string,
    command: readonly string[],
    options: AttachOptions,
  ): Promise<ExecSession> {
    const { container, stdin = false, stdout = true, tty = false, stderr = !tty } = options;
    const call = this.#caller.object("connect to", Pod, name, { ...options, subresource });
    const query = queryOf({ container, stdin, stdout, stderr, tty }) ?? new URLSearchParams();
    for (const word of command) query.append("command", word);
    const protocols = [channelProtocols.v5, channelProtocols.v4];
    const socket = await openWebSocket(this.#caller, { ...call, query }, protocols);
    return new ExecSession(call.what, socket, this.#caller.context.clock);
  }
}
