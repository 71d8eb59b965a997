import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBudget } from "./budget.js";
import { compileExpression } from "./compile-expression.js";
import { CelBudgetError, CelCompileError, CelEvaluationError } from "./errors.js";
import { evaluate } from "./testing/evaluate.js";
import { dynType, intType } from "./types.js";
import { compareStrings } from "./values/equality.js";
import { addInt, divideInt, moduloInt, multiplyInt, subtractInt } from "./values/int.js";
import {
  Duration,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  Timestamp,
} from "./values/temporal.js";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const edges = fc.constantFrom(
  0n,
  1n,
  -1n,
  2n ** 53n,
  2n ** 53n - 1n,
  -(2n ** 53n),
  2n ** 63n - 1n,
  -(2n ** 63n),
  3037000500n,
);
const anyInt = fc.oneof(int64, edges, fc.bigInt({ min: -1000n, max: 1000n }));

/** An int as the engine holds it. */
const toInt = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

const attempt = (run: () => unknown): unknown => {
  try {
    return run();
  } catch {
    return "failure";
  }
};

describe("CEL ints", () => {
  const operations = [
    [addInt, (a: bigint, b: bigint) => a + b],
    [subtractInt, (a: bigint, b: bigint) => a - b],
    [multiplyInt, (a: bigint, b: bigint) => a * b],
    [divideInt, (a: bigint, b: bigint) => a / b],
    [moduloInt, (a: bigint, b: bigint) => a % b],
  ] as const;

  it("compute as 64-bit integers do, or fail where those overflow", () => {
    fc.assert(
      fc.property(anyInt, anyInt, fc.constantFrom(...operations), (a, b, [ours, exact]) => {
        const expected = attempt(() => exact(a, b));
        const fits = typeof expected === "bigint" && BigInt.asIntN(64, expected) === expected;
        const isEdge = ours === moduloInt && a === -(2n ** 63n) && b === -1n;
        expect(attempt(() => ours(toInt(a), toInt(b)))).toBe(fits && !isEdge ? toInt(expected) : "failure");
      }),
    );
  });

  it("have one form each, never a negative zero", () => {
    fc.assert(
      fc.property(anyInt, anyInt, fc.constantFrom(...operations), (a, b, [ours]) => {
        const result = attempt(() => ours(toInt(a), toInt(b)));
        if (typeof result === "number")
          expect(Number.isSafeInteger(result) && !Object.is(result, -0)).toBe(true);
        if (typeof result === "bigint") expect(Number.isSafeInteger(Number(result))).toBe(false);
      }),
    );
  });

  it("are ordered as numbers in expressions", () => {
    const less = compileExpression("a < b", { variables: { a: intType, b: intType } });
    fc.assert(
      fc.property(anyInt, anyInt, (a, b) => {
        expect(less.evaluate({ a: toInt(a), b: toInt(b) }, createBudget())).toBe(a < b);
      }),
    );
  });
});

describe("CEL timestamps and durations", () => {
  it("parse the text they are printed as", () => {
    const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 999_999_999 }), (s, n) => {
        const time = new Timestamp(s, n);
        expect(parseTimestamp(formatTimestamp(time))).toEqual(time);
      }),
    );
    fc.assert(
      fc.property(int64, (nanos) => {
        const duration = new Duration(nanos);
        expect(parseDuration(formatDuration(duration))).toEqual(duration);
      }),
    );
  });
});

describe("CEL strings", () => {
  it("are ordered by code points", () => {
    const bytes = (text: string) => Buffer.from(text, "utf8");
    const text = fc.string({ unit: "binary", maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareStrings(a, b))).toBe(Buffer.compare(bytes(a), bytes(b)));
      }),
    );
  });
});

describe("CEL: any text", () => {
  const pieces = fc.constantFrom(
    ..."self . all ( x , ) [ ] { } : ? ! - + * / % == != < > <= >= && || in 1 2u 1.5 'a' b'a' true null has map filter size matches optional of .? [? _ a\n // '".split(
      " ",
    ),
  );
  const source = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(" ")),
  );

  it("compiles and evaluates, or fails with a CEL error", () => {
    fc.assert(
      fc.property(source, fc.jsonValue({ maxDepth: 3 }), (text, self) => {
        try {
          compileExpression(text, { variables: { self: dynType } }).evaluate({ self }, createBudget());
        } catch (error) {
          const isOurs =
            error instanceof CelCompileError ||
            error instanceof CelEvaluationError ||
            error instanceof CelBudgetError;
          expect(isOurs, String(error)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("CEL: JSON values", () => {
  it("equal their copies, and nothing that differs", () => {
    const same = compileExpression("a == b", { variables: { a: dynType, b: dynType } });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const copy = JSON.parse(JSON.stringify(value));
        expect(same.evaluate({ a: JSON.parse(JSON.stringify(value)), b: copy }, createBudget())).toBe(true);
        expect(same.evaluate({ a: [copy], b: [copy, copy] }, createBudget())).toBe(false);
        expect(same.evaluate({ a: { x: copy }, b: { y: copy } }, createBudget())).toBe(false);
      }),
    );
  });

  it("are never changed by an evaluation", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const self = Object.freeze([...numbers]);
        evaluate("(self + [1]).size() > 0 && self.map(x, x).size() >= 0", {
          variables: { self: dynType },
          bindings: { self },
        });
        expect(self).toEqual(numbers);
      }),
    );
  });
});
