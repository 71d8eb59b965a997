// The validation of rules. The same check serves rules in code and rules in files.
import { type FieldError, fieldError, isObject, LabelMatcher, ValidationError } from "@kubewright/api";
import type { Rule, RuleEffects, RuleMatch } from "./rule.js";
import {
  anything,
  type Check,
  callable,
  duration,
  either,
  flag,
  integer,
  listOf,
  quantity,
  shape,
  text,
  textMap,
} from "./shape.js";

const isText = (value: unknown): value is string => typeof value === "string";
const isCallable = (value: unknown): boolean => typeof value === "function";
const ending = { after: duration, message: text, times: integer(1, Number.MAX_SAFE_INTEGER) };
const exitCode = integer(0, 255);

const outcome: Check = (value, path, errors) => {
  if (value !== "succeed" && value !== "fail")
    errors.push(fieldError.notSupported(path, value, ["succeed", "fail"]));
};
const handlerKind: Check = (value, path, errors) => {
  const kinds = ["exec", "httpGet", "tcpSocket", "grpc"];
  if (!isText(value) || !kinds.includes(value)) errors.push(fieldError.notSupported(path, value, kinds));
};
const probe = either(
  '"succeed", "fail", or failsFrom and failsUntil',
  [isText, outcome],
  [isCallable, anything],
  [isObject, shape({ failsFrom: duration, failsUntil: duration, message: text, only: handlerKind })],
);
const lines = either("a list of lines", [Array.isArray, listOf(text)], [isCallable, anything]);
const logs = either(
  "a list of lines, or lines and every",
  [Array.isArray, listOf(text)],
  [isObject, shape({ lines, every: duration }, ["lines"])],
);
const metrics = either(
  "cpu and memory",
  [isCallable, anything],
  [isObject, shape({ cpu: quantity, memory: quantity })],
);
const absolutePath: Check = (value, path, errors) => {
  if (!isText(value) || !value.startsWith("/"))
    errors.push(fieldError.invalid(path, value, "must be a path that begins with /"));
};
const fileMap: Check = (value, path, errors) => {
  textMap(value, path, errors);
  if (isObject(value)) for (const name of Object.keys(value)) absolutePath(name, path, errors);
};
const selector: Check = (value, path, errors) => {
  try {
    if (isText(value)) LabelMatcher.parse(value);
    else if (isObject(value)) LabelMatcher.from(value);
    else errors.push(fieldError.invalid(path, value, "must be a label selector"));
  } catch (error) {
    errors.push(fieldError.invalid(path, value, error instanceof Error ? error.message : String(error)));
  }
};

const form = shape(
  {
    match: shape({
      namespace: text,
      name: text,
      labels: textMap,
      selector,
      image: text,
      command: text,
      container: text,
      node: text,
    }),
    effects: shape({
      startLatency: duration,
      pullTime: duration,
      pullError: text,
      neverReady: flag,
      runs: flag,
      exit: shape({ ...ending, code: exitCode }),
      crashLoop: shape({ ...ending, exitCode }),
      oomKill: shape(ending),
      stopTime: duration,
      listens: listOf(integer(1, 65_535)),
      answers: text,
      serves: absolutePath,
      files: fileMap,
      evict: shape({ after: duration, message: text }),
      probe: shape({ startup: probe, readiness: probe, liveness: probe }),
      logs,
      metrics,
      nodeDown: flag,
      exec: callable,
      portForward: callable,
    }),
  },
  ["match", "effects"],
);

const endings = ["runs", "exit", "crashLoop", "oomKill"];

/**
 * Makes a rule; throws a ValidationError that names every field that cannot be.
 *
 * @example
 * cluster.simulate(rule({ labels: { app: "web" } }, { crashLoop: { after: "3s", exitCode: 2 } }));
 */
export function rule(match: RuleMatch, effects: RuleEffects): Rule {
  return checkRule({ match, effects }, "rule");
}

/** The rule, if it is one; throws a ValidationError that begins with `what`, naming the fields below it. */
export function checkRule(value: unknown, what: string): Rule {
  const errors: FieldError[] = [];
  form(value, what, errors);
  if (errors.length === 0) contradictions(value, what, errors);
  if (errors.length > 0 || !isRule(value)) throw new ValidationError("bad rule", errors);
  return value;
}

/** Narrows a value that was checked above to a rule. */
function isRule(value: unknown): value is Rule {
  return isObject(value) && isObject(value["match"]) && isObject(value["effects"]);
}

function contradictions(value: unknown, what: string, errors: FieldError[]): void {
  if (!isRule(value)) return;
  const { effects, match } = value;
  const names = Object.entries(effects).flatMap(([name, each]) => (each === undefined ? [] : [name]));
  if (names.length === 0) errors.push(fieldError.required(`${what}.effects`, "a rule must do something"));
  const ends = names.filter((name) => endings.includes(name));
  if (ends.length > 1)
    errors.push(fieldError.forbidden(`${what}.effects`, `only one of ${ends.join(", ")} can come true`));
  if (effects.nodeDown !== undefined) {
    const others = matchesBeyondNodes(match);
    if (others.length > 0)
      errors.push(
        fieldError.forbidden(
          `${what}.effects.nodeDown`,
          `nodes have no ${others.join(", ")}: match by node alone`,
        ),
      );
  }
}

function matchesBeyondNodes(match: RuleMatch): readonly string[] {
  return Object.entries(match).flatMap(([name, each]) =>
    name === "node" || each === undefined ? [] : [name],
  );
}
