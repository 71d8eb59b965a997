// The effects of a rule in the form that the simulation uses: times in milliseconds, every choice made.
import { Amount } from "@kubewright/api";
import type { LogRule, MetricsRule, ProbeHandlerKind, ProbeRule, RuleEffects } from "./rule.js";
import { milliseconds } from "./shape.js";

/** How a container ends by a rule. */
export interface Ending {
  readonly after: number;
  readonly exitCode: number;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly times: number;
  /** By container: how often it ended so. */
  readonly spent: Map<string, number>;
}

/** The result of a probe at a time after the container's start, and until when it stays so. */
export interface ProbePlan {
  /** Undefined for every kind of probe. */
  readonly only: ProbeHandlerKind | undefined;
  at(elapsed: number): {
    readonly success: boolean;
    readonly until: number;
    readonly message?: string | undefined;
  };
}

/** The log of a container by a rule: some lines at its start, then one every so many milliseconds. */
export interface LogPlan {
  readonly first: readonly string[];
  readonly every: number;
  readonly line: (index: number) => string;
}

/** The usage of a container. */
export interface Usage {
  /** In cores. */
  readonly cpu: number | undefined;
  /** In bytes. */
  readonly memory: number | undefined;
}

/** The effects of all rules that match, later ones winning. */
export interface Effects {
  startLatency?: number;
  pullTime?: number;
  pullError?: string;
  neverReady?: boolean;
  ending?: Ending | "never";
  stopTime?: number;
  listens?: readonly number[];
  answers?: string;
  serves?: string;
  files?: Readonly<Record<string, string>>;
  evict?: { readonly after: number; readonly message: string };
  startup?: ProbePlan;
  readiness?: ProbePlan;
  liveness?: ProbePlan;
  logs?: LogPlan;
  usage?: (elapsed: number) => Usage;
  nodeDown?: boolean;
  exec?: NonNullable<RuleEffects["exec"]>;
  portForward?: NonNullable<RuleEffects["portForward"]>;
}

/** Compiles the effects of a checked rule. */
export function effectsOf(said: RuleEffects): Effects {
  const effects: Effects = {};
  if (said.startLatency !== undefined) effects.startLatency = milliseconds(said.startLatency);
  if (said.pullTime !== undefined) effects.pullTime = milliseconds(said.pullTime);
  if (said.pullError !== undefined) effects.pullError = said.pullError;
  if (said.neverReady !== undefined) effects.neverReady = said.neverReady;
  if (said.stopTime !== undefined) effects.stopTime = milliseconds(said.stopTime);
  if (said.listens) effects.listens = said.listens;
  if (said.answers !== undefined) effects.answers = said.answers;
  if (said.serves !== undefined) effects.serves = said.serves;
  if (said.files) effects.files = said.files;
  if (said.nodeDown !== undefined) effects.nodeDown = said.nodeDown;
  if (said.exec) effects.exec = said.exec;
  if (said.portForward) effects.portForward = said.portForward;
  if (said.logs) effects.logs = logPlan(said.logs);
  if (said.metrics) effects.usage = usagePlan(said.metrics);
  const ending = endingOf(said);
  if (ending) effects.ending = ending;
  if (said.evict) effects.evict = evictionOf(said.evict);
  for (const kind of ["startup", "readiness", "liveness"] as const) {
    const probe = said.probe?.[kind];
    if (probe !== undefined) effects[kind] = probePlan(probe);
  }
  return effects;
}

function endingOf({ runs, exit, crashLoop, oomKill }: RuleEffects): Ending | "never" | undefined {
  if (runs) return "never";
  const said = exit ?? crashLoop ?? oomKill;
  if (!said) return undefined;
  return {
    after: milliseconds(said.after ?? 0),
    exitCode: exit ? (exit.code ?? 0) : crashLoop ? (crashLoop.exitCode ?? 1) : 137,
    reason: oomKill ? "OOMKilled" : undefined,
    message: said.message,
    times: said.times ?? Number.POSITIVE_INFINITY,
    spent: new Map(),
  };
}

function evictionOf({
  after = 0,
  message,
}: NonNullable<RuleEffects["evict"]>): NonNullable<Effects["evict"]> {
  return { after: milliseconds(after), message: message ?? "The node was low on resource: memory. " };
}

function probePlan(said: ProbeRule): ProbePlan {
  if (typeof said === "function")
    return { only: undefined, at: (elapsed) => ({ success: said(elapsed), until: elapsed }) };
  const forever = Number.POSITIVE_INFINITY;
  if (typeof said === "string")
    return { only: undefined, at: () => ({ success: said === "succeed", until: forever }) };
  const from = milliseconds(said.failsFrom ?? 0);
  const until = said.failsUntil === undefined ? forever : milliseconds(said.failsUntil);
  return {
    only: said.only,
    at: (elapsed) => {
      if (elapsed < from) return { success: true, until: from };
      if (elapsed < until) return { success: false, until, message: said.message };
      return { success: true, until: forever };
    },
  };
}

function logPlan(said: LogRule): LogPlan {
  const { lines, every } = "lines" in said ? said : { lines: said, every: undefined };
  if (typeof lines === "function") return { first: [], every: milliseconds(every ?? 1000), line: lines };
  if (every === undefined) return { first: lines, every: Number.POSITIVE_INFINITY, line: () => "" };
  return { first: [], every: milliseconds(every), line: (index) => lines[index % lines.length] ?? "" };
}

function usagePlan(said: NonNullable<RuleEffects["metrics"]>): (elapsed: number) => Usage {
  if (typeof said === "function") return (elapsed) => usageOf(said(elapsed));
  const fixed = usageOf(said);
  return () => fixed;
}

function usageOf({ cpu, memory }: MetricsRule): Usage {
  return { cpu: amount(cpu), memory: amount(memory) };
}

const amount = (said: string | number | undefined): number | undefined =>
  said === undefined ? undefined : Amount.parse(String(said)).toNumber();
