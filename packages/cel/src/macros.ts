// The macros: calls that are rewritten while parsing. Expansions follow the language definition step by step, because the
// cost of a rule is counted over them.
import type { ComprehensionExpr, ComprehensionPurpose, Expr, ExprFactory } from "./ast.js";
import type { SourceIssue } from "./source.js";

/** A macro call before expansion. */
export interface MacroCall {
  readonly factory: ExprFactory;
  readonly offset: number;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** The expansion, or what is wrong with the call. */
export type MacroResult = { readonly expr: Expr } | { readonly issue: SourceIssue };

type Expander = (call: MacroCall) => MacroResult;

const accumulator = "@result";

class MacroProblem {
  readonly issue: SourceIssue;

  constructor(at: Expr, message: string) {
    this.issue = { offset: at.offset, message };
  }
}

function variableName(expr: Expr | undefined): string {
  if (expr === undefined) return "";
  if (expr.kind !== "ident") throw new MacroProblem(expr, "argument must be a simple name");
  if (expr.name === accumulator)
    throw new MacroProblem(expr, "iteration variable overwrites accumulator variable");
  return expr.name;
}

/** A call known to have as many arguments as the macro takes. */
class Builder {
  readonly #call: MacroCall;

  constructor(call: MacroCall) {
    this.#call = call;
  }

  get factory(): ExprFactory {
    return this.#call.factory;
  }

  get offset(): number {
    return this.#call.offset;
  }

  arg(index: number): Expr {
    const arg = this.#call.args[index];
    if (arg === undefined) throw new RangeError("macro without its argument");
    return arg;
  }

  get target(): Expr {
    const { target } = this.#call;
    if (target === undefined) throw new RangeError("macro without its target");
    return target;
  }

  accu(): Expr {
    return this.factory.ident(this.offset, accumulator);
  }

  bool(value: boolean): Expr {
    return this.factory.literal(this.offset, "bool", value);
  }

  int(value: number): Expr {
    return this.factory.literal(this.offset, "int", value);
  }

  call(name: string, ...args: readonly Expr[]): Expr {
    return this.factory.call(this.offset, name, ...args);
  }

  loop(
    purpose: ComprehensionPurpose,
    variables: readonly string[],
    parts: Pick<ComprehensionExpr, "init" | "condition" | "step" | "result">,
  ): Expr {
    const [variable = "", variable2] = variables;
    return {
      kind: "comprehension",
      id: this.factory.id(),
      offset: this.offset,
      purpose,
      range: this.target,
      variable,
      variable2,
      accumulator,
      ...parts,
    };
  }

  /** `let name = value in body`: a comprehension over nothing. */
  bind(name: string, value: Expr, body: Expr): Expr {
    const { factory, offset } = this;
    return {
      kind: "comprehension",
      id: factory.id(),
      offset,
      purpose: { kind: "bind", value, body },
      range: factory.list(offset),
      variable: "#unused",
      variable2: undefined,
      accumulator: name,
      init: value,
      condition: this.bool(false),
      step: factory.ident(offset, name),
      result: body,
    };
  }
}

const expander =
  (expand: (build: Builder) => Expr): Expander =>
  (call) => {
    try {
      return { expr: expand(new Builder(call)) };
    } catch (problem) {
      if (problem instanceof MacroProblem) return { issue: problem.issue };
      throw problem;
    }
  };

const has = expander((build) => {
  const arg = build.arg(0);
  if (arg.kind !== "select" || arg.test) throw new MacroProblem(arg, "invalid argument to has() macro");
  return build.factory.select(build.offset, arg.operand, arg.field, true);
});

/** The names of the loop variables, which come first among the arguments. */
function variables(build: Builder, count: 1 | 2): readonly string[] {
  const first = variableName(build.arg(0));
  return count === 1 ? [first] : [first, variableName(build.arg(1))];
}

const all = (count: 1 | 2): Expander =>
  expander((build) => {
    const predicate = build.arg(count);
    return build.loop({ kind: "all", predicate }, variables(build, count), {
      init: build.bool(true),
      condition: build.call("@not_strictly_false", build.accu()),
      step: build.call("_&&_", build.accu(), predicate),
      result: build.accu(),
    });
  });

const exists = (count: 1 | 2): Expander =>
  expander((build) => {
    const predicate = build.arg(count);
    return build.loop({ kind: "exists", predicate }, variables(build, count), {
      init: build.bool(false),
      condition: build.call("@not_strictly_false", build.call("!_", build.accu())),
      step: build.call("_||_", build.accu(), predicate),
      result: build.accu(),
    });
  });

const existsOne = (count: 1 | 2): Expander =>
  expander((build) => {
    const predicate = build.arg(count);
    return build.loop({ kind: "existsOne", predicate }, variables(build, count), {
      init: build.int(0),
      condition: build.bool(true),
      step: build.call("_?_:_", predicate, build.call("_+_", build.accu(), build.int(1)), build.accu()),
      result: build.call("_==_", build.accu(), build.int(1)),
    });
  });

/** A loop that keeps adding to what it builds, for the elements that pass the filter. */
function collect(
  build: Builder,
  count: 1 | 2,
  purpose: Extract<ComprehensionPurpose, { kind: "list" | "map" | "mapEntry" }>,
  init: Expr,
  add: Expr,
): Expr {
  const { filter } = purpose;
  return build.loop(purpose, variables(build, count), {
    init,
    condition: build.bool(true),
    step: filter === undefined ? add : build.call("_?_:_", filter, add, build.accu()),
    result: build.accu(),
  });
}

const emptyMap = (build: Builder): Expr => ({
  kind: "map",
  id: build.factory.id(),
  offset: build.offset,
  entries: [],
});

const toList = (count: 1 | 2, filtered: boolean): Expander =>
  expander((build) => {
    const filter = filtered ? build.arg(count) : undefined;
    const transform = build.arg(filtered ? count + 1 : count);
    const add = build.call("_+_", build.accu(), build.factory.list(build.offset, transform));
    return collect(build, count, { kind: "list", filter, transform }, build.factory.list(build.offset), add);
  });

const filterList = expander((build) => {
  const transform = build.arg(0);
  const add = build.call("_+_", build.accu(), build.factory.list(build.offset, transform));
  const purpose = { kind: "list", filter: build.arg(1), transform } as const;
  return collect(build, 1, purpose, build.factory.list(build.offset), add);
});

const toMap = (filtered: boolean): Expander =>
  expander((build) => {
    const filter = filtered ? build.arg(2) : undefined;
    const transform = build.arg(filtered ? 3 : 2);
    const key = build.factory.ident(build.offset, variableName(build.arg(0)));
    const add = build.call("cel.@mapInsert", build.accu(), key, transform);
    return collect(build, 2, { kind: "map", filter, transform }, emptyMap(build), add);
  });

const toMapEntry = (filtered: boolean): Expander =>
  expander((build) => {
    const filter = filtered ? build.arg(2) : undefined;
    const transform = build.arg(filtered ? 3 : 2);
    const add = build.call("cel.@mapInsert", build.accu(), transform);
    return collect(build, 2, { kind: "mapEntry", filter, transform }, emptyMap(build), add);
  });

/** `target.hasValue() ? <body with the value> : optional.none()`; the target must be a name, so it is bound to one. */
const optionalMap = (wrap: boolean): Expander =>
  expander((build) => {
    const { factory, offset } = build;
    const name = variableName(build.arg(0));
    const held = "@target";
    const target = (): Expr => factory.ident(offset, held);
    const optional = (): Expr => factory.ident(offset, "optional");
    const body = build.bind(name, factory.memberCall(offset, target(), "value"), build.arg(1));
    const some = wrap ? factory.memberCall(offset, optional(), "of", body) : body;
    const none = factory.memberCall(offset, optional(), "none");
    const chosen = build.call("_?_:_", factory.memberCall(offset, target(), "hasValue"), some, none);
    return build.bind(held, build.target, chosen);
  });

const sortBy = expander((build) => {
  const { factory, offset, target } = build;
  const kind = target.kind;
  const sortable =
    kind === "list" || kind === "select" || kind === "ident" || kind === "comprehension" || kind === "call";
  if (!sortable) {
    throw new MacroProblem(
      target,
      "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    );
  }
  const held = "@__sortBy_input__";
  const input = (): Expr => factory.ident(offset, held);
  const keys = toList(1, false)({ factory, offset, target: input(), args: [build.arg(0), build.arg(1)] });
  if ("issue" in keys) throw new MacroProblem(build.arg(0), keys.issue.message);
  return build.bind(held, target, factory.memberCall(offset, input(), "@sortByAssociatedKeys", keys.expr));
});

const bind = expander((build) => build.bind(variableName(build.arg(0)), build.arg(1), build.arg(2)));

/** `name:arguments`, with a leading dot for those called on a target. */
const macros: ReadonlyMap<string, Expander> = new Map([
  ["has:1", has],
  [".all:2", all(1)],
  [".all:3", all(2)],
  [".exists:2", exists(1)],
  [".exists:3", exists(2)],
  [".exists_one:2", existsOne(1)],
  [".existsOne:2", existsOne(1)],
  [".exists_one:3", existsOne(2)],
  [".existsOne:3", existsOne(2)],
  [".map:2", toList(1, false)],
  [".map:3", toList(1, true)],
  [".filter:2", filterList],
  [".transformList:3", toList(2, false)],
  [".transformList:4", toList(2, true)],
  [".transformMap:3", toMap(false)],
  [".transformMap:4", toMap(true)],
  [".transformMapEntry:3", toMapEntry(false)],
  [".transformMapEntry:4", toMapEntry(true)],
  [".optMap:2", optionalMap(true)],
  [".optFlatMap:2", optionalMap(false)],
  [".sortBy:2", sortBy],
]);

/** The expansion of a call that is a macro, else undefined. `bindings` adds `cel.bind`. */
export function expandMacro(name: string, call: MacroCall, bindings: boolean): MacroResult | undefined {
  const { target, args } = call;
  if (bindings && name === "bind" && args.length === 3 && target?.kind === "ident" && target.name === "cel") {
    return bind(call);
  }
  return macros.get(`${target === undefined ? "" : "."}${name}:${args.length}`)?.(call);
}
