import { describe, expect, it } from "vitest";
import { CelBudgetError, CelCompileError, CelEvaluationError } from "./errors.js";
import { costOf, evaluate } from "./testing/evaluate.js";
import { dynType, intType, listType, mapType, stringType } from "./types.js";

describe("CEL operators", () => {
  it.each([
    ["1 + 2 * 3 - 4", 3],
    ["(1 + 2) * 3", 9],
    ["7 / 2", 3],
    ["-7 / 2", -3],
    ["-7 % 3", -1],
    ["7u / 2u", { uint: 3 }],
    ["7.0 / 2.0", { double: 3.5 }],
    ["1.0 / 0.0 > 1e308", true],
    ["-(3)", -3],
    ["--3", 3],
    ["!!true", true],
    ["!false", true],
    ["'a' + 'b'", "ab"],
    ["b'a' + b'b' == b'ab'", true],
    ["[1] + [2, 3]", [1, 2, 3]],
    ["9007199254740993 + 1 == 9007199254740994", true],
    ["9223372036854775807 - 1 > 0", true],
    ["9223372036854775807 / 3 == 3074457345618258602", true],
    ["0x10 + 0xF", 31],
    ["-0x8000000000000000 < 0", true],
    ["18446744073709551615u > 1u", true],
    ["true ? 1 : 2", 1],
    ["false ? 1 : true ? 2 : 3", 2],
    ["1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3", true],
    ["1 < 1.5 && 1u < 2 && 2.5 > 2u && 1 <= 1.0", true],
    ["'a' < 'b' && 'a' < 'aa' && '￿' < '😀'", true],
    ["b'a' < b'b' && false < true", true],
    ["1 == 1 && 1 != 2 && 'a' == 'a' && null == null", true],
    ["dyn(1) == 1.0 && dyn(1u) == 1 && dyn(1) != 'a'", true],
    ["[1, 2] == [1, 2] && [1] != [2] && {'a': 1} == {'a': 1}", true],
    ["{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", true],
    ["1 in [1, 2] && !(3 in [1, 2]) && 'a' in {'a': 1} && !('b' in {'a': 1})", true],
    ["[1, 2, 3][1] + {'a': 5}['a']", 7],
    ["{1: 'a', true: 'b'}[1]", undefined],
    ["{'a': {'b': 1}}.a.b", 1],
    ["size([1, 2]) + size({'a': 1}) + size('añ😀') + size(b'abc')", 9],
    ["[1, 2].size() + 'abc'.size()", 5],
  ])("%s is %j", (source, expected) => {
    if (expected === undefined) expect(() => evaluate(source)).toThrow(CelCompileError);
    else expect(evaluate(source)).toEqual(expected);
  });

  it.each([
    ["1 / 0 == 1", "division by zero"],
    ["1 % 0 == 1", "modulus by zero"],
    ["9223372036854775807 + 1 > 0", "integer overflow"],
    ["-9223372036854775808 - 1 < 0", "integer overflow"],
    ["9223372036854775807 * 2 > 0", "integer overflow"],
    ["-(-9223372036854775808) > 0", "integer overflow"],
    ["0u - 1u == 0u", "unsigned integer overflow"],
    ["[1][1] == 1", "index out of bounds: 1"],
    ["[1][-1] == 1", "index out of bounds: -1"],
    ["{'a': 1}['b'] == 1", "no such key: b"],
    ["{'a': 1}.b == 1", "no such key: b"],
    ["dyn('a') + 1 == 2", "no such overload"],
    ["dyn('a') < 1", "no such overload"],
    ["dyn(1).a == 1", "no such key: a"],
    ["dyn(null).a.b == 1", "no such key: a"],
    ["has(dyn(null).a.b)", "no such key: a"],
    ["dyn('x')['a'] == 1", "no such key: a"],
    ["dyn(1)[0] == 1", "no such key: 0"],
    ["dyn([1]).a == 1", "unsupported index type 'string' in list"],
    ["dyn([1])['a'] == 1", "unsupported index type 'string' in list"],
    ["[1][dyn(1.5)] == 1", "unsupported index value 1.5 in list"],
    ["dyn(1) && true", "no such overload"],
    ["{dyn(1.5): 1} == {}", "unsupported key type: double"],
    ["{'a': 1, 'a': 2} == {}", "Failed with repeated key: a"],
    ["dyn(1).startsWith('a')", "no such overload: startsWith(int, string)"],
  ])("%s fails: %s", (source, message) => {
    expect(() => evaluate(source)).toThrow(new CelEvaluationError(message));
  });
});

describe("CEL logic", () => {
  it.each([
    ["true || 1 / 0 > 0", true],
    ["1 / 0 > 0 || true", true],
    ["false && 1 / 0 > 0", false],
    ["1 / 0 > 0 && false", false],
    ["[0, 1].exists(x, 1 / x == 1)", true],
    ["![0, 1].all(x, 1 / x == 2)", true],
    ["[1, 2].all(x, true) && [].all(x, false) && ![].exists(x, true)", true],
  ])("%s is decided although a part fails", (source, expected) => {
    expect(evaluate(source)).toBe(expected);
  });

  it.each([
    "false || 1 / 0 > 0",
    "1 / 0 > 0 || 1 % 0 > 0",
    "[0].exists(x, 1 / x == 1)",
    "[0, 1].all(x, 1 / x == 1)",
  ])("%s fails with the first of two errors", (source) =>
    expect(() => evaluate(source)).toThrow("division by zero"),
  );
});

describe("CEL macros", () => {
  it.each([
    ["[1, 2, 3].all(x, x > 0)", true],
    ["[1, 2, 3].exists(x, x == 2)", true],
    ["[1, 2, 2].exists_one(x, x == 2)", false],
    ["[1, 2, 3].existsOne(x, x == 2)", true],
    ["[1, 2, 3].map(x, x * 2)", [2, 4, 6]],
    ["[1, 2, 3].map(x, x > 1, x * 2)", [4, 6]],
    ["[1, 2, 3].filter(x, x > 1)", [2, 3]],
    ["{'a': 1, 'b': 2}.all(k, k < 'c')", true],
    ["{'a': 1, 'b': 2}.map(k, k)", ["a", "b"]],
    ["{'a': 1, 'b': 2}.filter(k, k == 'b')", ["b"]],
    ["[[1], [2, 3]].map(x, x.map(y, y + 1))", [[2], [3, 4]]],
    [
      "[1, 2].map(x, [3, 4].map(x, x))",
      [
        [3, 4],
        [3, 4],
      ],
    ],
    ["[1, 2, 3].all(i, v, v == i + 1)", true],
    ["{'a': 1}.exists(k, v, k == 'a' && v == 1)", true],
    ["[5, 6].existsOne(i, v, i == 1)", true],
    ["[5, 6].exists_one(i, v, v == 5)", true],
    ["[1, 2].transformList(i, v, i * 10 + v)", [1, 12]],
    ["[1, 2, 3].transformList(i, v, i > 0, v)", [2, 3]],
    ["{'a': 1}.transformList(k, v, k + string(v))", ["a1"]],
    ["{'a': 1, 'b': 2}.transformMap(k, v, v * 2)", { a: 2, b: 4 }],
    ["{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v)", { b: 2 }],
    ["[7, 8].transformMap(i, v, v)", { 0: 7, 1: 8 }],
    ["{'a': 'x'}.transformMapEntry(k, v, {v: k})", { x: "a" }],
    ["{'a': 'x', 'b': 'y'}.transformMapEntry(k, v, k == 'b', {v: k})", { y: "b" }],
    ["has({'a': 1}.a) && !has({'a': 1}.b)", true],
    ["has(dyn(null).a) || has(dyn(1).a) || has(dyn('x').a)", false],
    ["dyn(null).?a.orValue(1) == 1 && dyn({'a': null}).a.?b.c == optional.none()", true],
  ])("%s is %j", (source, expected) => expect(evaluate(source)).toEqual(expected));

  it("declare cel.bind only when the library is enabled", () => {
    expect(evaluate("cel.bind(x, 2, x * x)", { extensions: ["bindings"] })).toBe(4);
    expect(() => evaluate("cel.bind(x, 2, x * x)")).toThrow("undeclared reference");
  });

  it.each([
    ["['x', 'x'].transformMapEntry(i, v, {v: i})", "insert failed: key x already exists"],
    ["dyn(1).all(x, true)", "got 'types.Int', expected iterable type"],
    ["dyn('a').all(k, v, true)", "unsupported comprehension range type: types.String"],
    ["[dyn(1)].all(x, x)", "no such overload"],
    ["[0].map(x, 1 / x)", "division by zero"],
  ])("%s fails: %s", (source, message) => {
    expect(() => evaluate(source)).toThrow(new CelEvaluationError(message));
  });
});

describe("CEL compile errors", () => {
  const primary =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
  it.each([
    ["self >", `1:7: Syntax error: mismatched input '<EOF>' expecting ${primary}`],
    ["self > > 1", `1:8: Syntax error: extraneous input '>' expecting ${primary}`],
    ["self self", "1:6: Syntax error: extraneous input 'self' expecting <EOF>"],
    ["(self", "1:6: Syntax error: missing ')' at '<EOF>'"],
    ["self.", "1:6: Syntax error: no viable alternative at input '.'"],
    ["self $ 1", "1:6: Syntax error: token recognition error at: '$'"],
    ["self.b", "1:5: undefined field 'b'"],
    ["nope", "1:1: undeclared reference to 'nope' (in container '')"],
    ["nope(1)", "1:5: undeclared reference to 'nope' (in container '')"],
    ["1 + 'a'", "1:3: found no matching overload for '_+_' applied to '(int, string)'"],
    ["'a'.startsWith(1)", "1:15: found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ["1 == 'a'", "1:3: found no matching overload for '_==_' applied to '(int, string)'"],
    ["'a' == null", "1:5: found no matching overload for '_==_' applied to '(string, null)'"],
    ["1.a", "1:2: type 'int' does not support field selection"],
    ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
    ["{'a': 1, 'b': 'x'}", "1:15: expected type 'int' but found 'string'"],
    [
      "1.all(x, true)",
      "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ["[1].all(x, 1)", "1:8: found no matching overload for '_&&_' applied to '(bool, int)'"],
    ["[1].all(1, true)", "1:9: argument must be a simple name"],
    ["has(a)", "1:5: invalid argument to has() macro"],
    ["for", "1:1: reserved identifier: for"],
    ["'a'.matches('(')", "1:13: invalid matches argument"],
    ["duration('1x') > duration('1s')", "1:10: invalid duration argument"],
    ["timestamp('x') > timestamp('x')", "1:11: invalid timestamp argument"],
    ["Foo{a: 1}", "1:4: undeclared reference to 'Foo' (in container '')"],
    ["99999999999999999999", "1:1: invalid int literal"],
    ["'\\q'", "1:1: invalid string literal"],
    ["true &&\n  nope", "2:3: undeclared reference to 'nope' (in container '')"],
  ])("%s: %s", (source, message) => {
    const self = { kind: "object", name: "self", params: [], fields: () => new Map() } as const;
    const compile = () => evaluate(source, { variables: { self } });
    expect(compile).toThrow(CelCompileError);
    expect(compile).toThrow(`ERROR: <input>:${message}`);
  });

  it("point at the column below the source line", () => {
    expect(() => evaluate("1 + nope")).toThrow(
      "ERROR: <input>:1:5: undeclared reference to 'nope' (in container '')\n | 1 + nope\n | ....^",
    );
  });

  it("name the line and column", () => {
    try {
      evaluate("true &&\n  nope");
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(CelCompileError);
      expect((error as CelCompileError).issues).toEqual([
        { line: 2, column: 3, message: "undeclared reference to 'nope' (in container '')" },
      ]);
    }
  });

  it.each([
    ["parentheses", `${"(".repeat(300)}1${")".repeat(300)}`],
    ["a chain", Array.from({ length: 300 }, () => "1").join("+")],
    ["selections", `a${".b".repeat(300)}`],
    ["negations", `${"-(".repeat(300)}1${")".repeat(300)}`],
  ])("refuse an expression that nests too deep: %s", (_what, source) => {
    expect(() => evaluate(source, { variables: { a: dynType } })).toThrow(
      "expression recursion limit exceeded: 250",
    );
  });

  it("do not refuse a long chain of && and ||, which nests little", () => {
    expect(evaluate(Array.from({ length: 2000 }, () => "true").join(" && "))).toBe(true);
  });

  it("refuse an expression that is too long", () => {
    expect(() => evaluate("1".repeat(100_001))).toThrow("exceeds limit");
  });
});

describe("CEL literals", () => {
  it.each([
    ["'a\\n\\t\\'\\\"\\\\\\x41\\101\\u00e9\\U0001f600'", "a\n\t'\"\\AAé😀"],
    ["r'a\\n'", "a\\n"],
    ["'''a\n'b'\n'''", "a\n'b'\n"],
    ['"""x"y"""', 'x"y'],
    ["b'\\xff\\101a'", Uint8Array.from([255, 65, 97])],
    ["1e3", { double: 1000 }],
    [".5 + 1.5e-1", { double: 0.65 }],
    ["1 // a comment", 1],
    ["null", null],
  ])("%s", (source, expected) => expect(evaluate(source)).toEqual(expected));
});

describe("CEL variables", () => {
  const variables = { o: dynType, n: intType, l: listType(stringType), m: mapType(stringType, intType) };
  const bindings = {
    o: { a: { b: 5 }, list: [1, 2.5, null, "x"], __proto__x: 1, constructor: 7 },
    n: 3,
    l: ["a", "b"],
    m: { x: 1, toString: 2 },
  };
  it.each([
    ["o.a.b + n", 8],
    ["o.list.size()", 4],
    ["o.list[1]", { double: 2.5 }],
    ["o.list[2] == null && type(o.list[2]) == null_type", true],
    ["o.list.exists(x, x == 'x')", true],
    ["has(o.a.b) && !has(o.a.c) && has(o.constructor) && o.constructor == 7", true],
    ["!has(o.toString) && !has(o.__proto__) && !('valueOf' in o)", true],
    ["m.x + m.toString", 3],
    ["l.all(x, x in ['a', 'b'])", true],
  ])("%s is %j", (source, expected) => {
    expect(evaluate(source, { variables, bindings })).toEqual(expected);
  });

  it("have no fields that JavaScript objects inherit", () => {
    expect(() => evaluate("m.valueOf == 1", { variables, bindings })).toThrow("no such key: valueOf");
    expect(() => evaluate("o.__proto__ == 1", { variables, bindings })).toThrow("no such key: __proto__");
  });

  it("nested beyond the depth limit fail with an error", () => {
    const deep = (): unknown => {
      let value: unknown = 1;
      for (let depth = 0; depth < 200_000; depth += 1) value = [value];
      return value;
    };
    const variables = { a: dynType, b: dynType };
    expect(() => evaluate("a == b", { variables, bindings: { a: deep(), b: deep() } })).toThrow(
      CelBudgetError,
    );
  });

  it("fail when the value is not of the declared type", () => {
    expect(() => evaluate("n + 1", { variables, bindings: { n: "x" } })).toThrow(
      "invalid data, expected int, got string",
    );
    expect(() => evaluate("n + 1", { variables })).toThrow("no such attribute(s): n");
  });
});

describe("CEL cost", () => {
  // Numbers as cel-go counts them.
  it.each([
    ["1 + 2", 1],
    ["'abc' == 'abd'", 1],
    ["[1, 2, 3].all(x, x > 0)", 26],
    ["[1, 2, 3].exists(x, x > 0)", 10 + 6 + 3 + 1],
    ["[1, 2, 3].map(x, x * 2)", 63],
    ["[1, 2].filter(x, x > 1)", 10 + 10 + 1 + 3 + 2 + 13],
    ["1 in [1, 2]", 12],
    ["true || 1 > 0", 0],
    ["false || 1 > 0", 1],
    ["true ? 1 : 2 + 3", 0],
    ["{'a': 1}.a == 1", 32],
    ["has({'a': 1}.a)", 30],
    ["'abcdefghijk'.startsWith('a')", 2],
    ["'abcdefghijk'.matches('^a.*b')", 4],
    ["sets.intersects([1], [2, 3])", 23],
  ])("%s costs %d", (source, expected) => expect(costOf(source)).toBe(expected));
});
