// The rules in force, in the order they were made.
import { type Container, LabelMatcher, type Pod } from "@kubewright/api";
import { type Effects, effectsOf } from "./effects.js";
import { patternMatcher } from "./name-pattern.js";
import type { Rule, RuleHandle, RuleMatch } from "./rule.js";

/** The subject of a rule. */
export interface RuleSubject {
  readonly pod: Pod;
  /** Absent where the pod as a whole is meant: rules about containers or images do not apply. */
  readonly container?: Pick<Container, "name" | "image" | "command" | "args"> | undefined;
}

interface Entry {
  readonly matches: (subject: RuleSubject) => boolean;
  readonly isNode: (name: string) => boolean;
  readonly effects: Effects;
}

const none: Readonly<Effects> = Object.freeze({});

export class RuleSet {
  #entries: readonly Entry[] = [];
  readonly #listeners = new Set<() => void>();

  /** Puts a rule in force, at once. */
  add({ match, effects }: Rule): RuleHandle {
    const entry = { ...matcherOf(match), effects: effectsOf(effects) };
    this.#replace([...this.#entries, entry]);
    return {
      remove: () => {
        if (this.#entries.includes(entry)) this.#replace(this.#entries.filter((each) => each !== entry));
      },
    };
  }

  /** Everything that rules say about a container, or about a pod. */
  effectsOn(subject: RuleSubject): Readonly<Effects> {
    let found: Effects | undefined;
    for (const { matches, effects } of this.#entries) {
      if (!matches(subject)) continue;
      const { ending, ...others } = effects;
      found = Object.assign(found ?? {}, others);
      if (ending && !isSpent(ending, subject)) found.ending = ending;
    }
    return found ?? none;
  }

  isNodeDown(name: string): boolean {
    let isDown = false;
    for (const { isNode, effects } of this.#entries) {
      if (effects.nodeDown !== undefined && isNode(name)) isDown = effects.nodeDown;
    }
    return isDown;
  }

  /** Calls back after every change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The pod is gone. */
  forget(podUid: string): void {
    for (const { effects } of this.#entries) {
      if (typeof effects.ending !== "object") continue;
      for (const key of effects.ending.spent.keys())
        if (key.startsWith(`${podUid}/`)) effects.ending.spent.delete(key);
    }
  }

  #replace(entries: readonly Entry[]): void {
    this.#entries = entries;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Under which a container's ends are counted. */
export const spentKey = ({ pod, container }: RuleSubject): string =>
  `${pod.metadata?.uid}/${container?.name}`;

function isSpent(ending: NonNullable<Effects["ending"]>, subject: RuleSubject): boolean {
  return ending !== "never" && (ending.spent.get(spentKey(subject)) ?? 0) >= ending.times;
}

const commandLine = ({ command = [], args = [] }: Pick<Container, "command" | "args">): string =>
  [...command, ...args].join(" ");

function matcherOf(match: RuleMatch): Omit<Entry, "effects"> {
  const [namespace, name, image, command, container, node] = (
    ["namespace", "name", "image", "command", "container", "node"] as const
  ).map((field) => {
    const pattern = match[field];
    return pattern === undefined ? undefined : patternMatcher(pattern);
  });
  const labels = match.labels && LabelMatcher.ofLabels(match.labels);
  const { selector } = match;
  const selected =
    selector === undefined
      ? undefined
      : typeof selector === "string"
        ? LabelMatcher.parse(selector)
        : LabelMatcher.from(selector);
  return {
    isNode: (each) => node?.(each) ?? true,
    matches: ({ pod: { metadata, spec }, container: one }) =>
      (namespace?.(metadata?.namespace ?? "") ?? true) &&
      (name?.(metadata?.name ?? "") ?? true) &&
      (node?.(spec?.nodeName ?? "") ?? true) &&
      (container === undefined || (one !== undefined && container(one.name))) &&
      (image === undefined || (one !== undefined && image(one.image ?? ""))) &&
      (command === undefined || (one !== undefined && command(commandLine(one)))) &&
      (labels?.matches(metadata?.labels) ?? true) &&
      (selected?.matches(metadata?.labels) ?? true),
  };
}
