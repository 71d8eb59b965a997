// Rules say what becomes of simulated pods and nodes, where the defaults do not do: which they are about, and what happens.
// Later rules override earlier ones, effect by effect.
import type { LabelSelector, Pod } from "@kubewright/api";
import type { TerminalSize } from "../streaming/terminal-sizes.js";

/** Milliseconds, or a text such as `"1.5s"` or `"2m30s"`. */
export type Duration = number | string;

/** The subjects a rule matches; every field has to match. In text, `*` stands for any characters. */
export interface RuleMatch {
  readonly namespace?: string | undefined;
  /** Of the pod. */
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** As in `kubectl get -l`, or as in a `selector` field. */
  readonly selector?: string | LabelSelector | undefined;
  readonly image?: string | undefined;
  /** The `command` and `args` of the container, with a blank between them. */
  readonly command?: string | undefined;
  readonly container?: string | undefined;
  readonly node?: string | undefined;
}

/** An end that a container comes to, counted from its start. */
export interface EndingRule {
  /** At once by default. */
  readonly after?: Duration | undefined;
  /** The termination message. */
  readonly message?: string | undefined;
  /** How many runs of a container end so. Default: all. */
  readonly times?: number | undefined;
}

/** The result of a probe: always the same, a failure between two times after the container's start, or as a function says. */
export type ProbeRule =
  | "succeed"
  | "fail"
  | {
      readonly failsFrom?: Duration | undefined;
      readonly failsUntil?: Duration | undefined;
      readonly message?: string | undefined;
      /** Probes of other kinds go on as they would. Default: all kinds. */
      readonly only?: ProbeHandlerKind | undefined;
    }
  | ((elapsed: number) => boolean);

/** How a probe asks, by the field of its spec. */
export type ProbeHandlerKind = "exec" | "httpGet" | "tcpSocket" | "grpc";

/** Lines written at the start, or one after another at a steady rate: from a list, over and over, or made as they are read. */
export type LogRule =
  | readonly string[]
  | {
      readonly lines: readonly string[] | ((index: number) => string);
      readonly every?: Duration | undefined;
    };

/** The usage of a container: quantities such as `"250m"` and `"64Mi"`. */
export interface MetricsRule {
  readonly cpu?: string | number | undefined;
  readonly memory?: string | number | undefined;
}

/** A program that a client starts in a container, or a container that it joins. */
export interface ExecRequest {
  readonly pod: Pod;
  readonly container: string;
  /** Empty when a client joins what runs already. */
  readonly command: readonly string[];
  readonly tty: boolean;
  /** How large the client's terminal is, as it said last; undefined without one. */
  size(): TerminalSize | undefined;
  /** The input of the client; empty when it sends nothing. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  stdout(text: string | Uint8Array): Promise<void>;
  stderr(text: string | Uint8Array): Promise<void>;
}

/** The same in a simulated container, with what programs find there. */
export interface ExecCall extends ExecRequest {
  /** The variables that the container was given. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** A file of a mounted volume; undefined when there is none of that name. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** The names in a folder of a mounted volume; undefined when there is none of that name. */
  listFiles(path: string): Promise<readonly string[] | undefined>;
}

/** Runs a program and says its exit code; undefined leaves the answer to the simulation. */
export type ExecHandler = (call: ExecCall) => Promise<number | undefined> | number | undefined;

/** A connection to a port of a pod. */
export interface PortCall {
  readonly pod: Pod;
  readonly port: number;
  /** The data of the client, until it closes. */
  readonly received: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  send(bytes: string | Uint8Array): Promise<void>;
}

/** Serves one connection; it is closed when the promise settles. What it throws is what the client hears. */
export type PortHandler = (call: PortCall) => Promise<void>;

/** The effects of a rule on its subjects. */
export interface RuleEffects {
  /** Between the image being there and the container running. */
  readonly startLatency?: Duration | undefined;
  /** For an image that a node does not have yet. */
  readonly pullTime?: Duration | undefined;
  /** The image cannot be had, in these words. */
  readonly pullError?: string | undefined;
  /** Containers run and are not ready, whatever probes say. */
  readonly neverReady?: boolean | undefined;
  /** Containers run for ever, whatever their command and earlier rules say. */
  readonly runs?: boolean | undefined;
  readonly exit?: (EndingRule & { readonly code?: number | undefined }) | undefined;
  readonly crashLoop?: (EndingRule & { readonly exitCode?: number | undefined }) | undefined;
  readonly oomKill?: EndingRule | undefined;
  /** How long containers take to end when asked to; those that outlast the grace period are killed. */
  readonly stopTime?: Duration | undefined;
  /** The ports they listen on: probes of others fail. */
  readonly listens?: readonly number[] | undefined;
  /** The body of their answers to HTTP requests, with `$(POD_NAME)` and `$(POD_NAMESPACE)` in place. */
  readonly answers?: string | undefined;
  /** They are web servers of what is in this folder: HTTP probes find the files and folders that are there. */
  readonly serves?: string | undefined;
  /** The contents of files that the image has, by path. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** The kubelet evicts the pod, as when the node runs short of something. */
  readonly evict?:
    | { readonly after?: Duration | undefined; readonly message?: string | undefined }
    | undefined;
  readonly probe?:
    | {
        readonly startup?: ProbeRule | undefined;
        readonly readiness?: ProbeRule | undefined;
        readonly liveness?: ProbeRule | undefined;
      }
    | undefined;
  readonly logs?: LogRule | undefined;
  readonly metrics?: MetricsRule | ((elapsed: number) => MetricsRule) | undefined;
  /** The nodes say nothing any more; their pods stay as they are until the rule is removed. Needs a match on nodes alone. */
  readonly nodeDown?: boolean | undefined;
  readonly exec?: ExecHandler | undefined;
  readonly portForward?: PortHandler | undefined;
}

/** A rule whose match and effects were checked; made by `rule()` or `parseRules()`. */
export interface Rule {
  readonly match: RuleMatch;
  readonly effects: RuleEffects;
}

/** A rule in force, which can be removed. */
export interface RuleHandle {
  /** Ends it: what it kept from happening happens, what it did is not undone. */
  remove(): void;
}
