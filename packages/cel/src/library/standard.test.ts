import { describe, expect, it } from "vitest";
import { CelCompileError, CelEvaluationError } from "../errors.js";
import { evaluate } from "../testing/evaluate.js";
import { stringType } from "../types.js";

describe("CEL conversions", () => {
  it.each([
    ["int('42') + int(4.9) + int(-4.9) + int(7u)", 49],
    ["int(timestamp('1970-01-01T00:01:00Z'))", 60],
    ["int('-9223372036854775808') < 0", true],
    ["int('007')", 7],
    ["uint('5') + uint(2.9) + uint(1)", { uint: 8 }],
    ["double('1.5') + double(2) + double(3u)", { double: 6.5 }],
    ["double('-Inf') < 0.0 && double('nan') != double('nan')", true],
    ["string(1) + string(2u) + string(1.5) + string(true) + string('x') + string(b'yz')", "121.5truexyz"],
    [
      "string(1000000.0) + ' ' + string(0.00001) + ' ' + string(123456.0) + ' ' + string(-0.0)",
      "1e+06 1e-05 123456 -0",
    ],
    ["string(timestamp('2020-01-02T03:04:05.120Z'))", "2020-01-02T03:04:05.12Z"],
    ["string(timestamp('2020-01-02T03:04:05+02:00'))", "2020-01-02T01:04:05Z"],
    ["string(duration('1h1.5s'))", "3601.5s"],
    ["bytes('é') == b'é' && size(bytes('é')) == 2", true],
    ["bool('true') && !bool('F')", true],
    [
      "type(1) == int && type('a') == string && type([]) == list && type({}) == map && type(null) == null_type",
      true,
    ],
    [
      "type(type(1)) == type && type(1.0) == double && type(1u) == uint && type(b'') == bytes && type(true) == bool",
      true,
    ],
    ["type(timestamp('2020-01-01T00:00:00Z')) == google.protobuf.Timestamp", true],
    ["type(optional.none()) == optional_type", true],
    ["timestamp(1577836800) == timestamp('2020-01-01T00:00:00Z')", true],
    ["dyn([1, 2])[0]", 1],
  ])("%s is %j", (source, expected) => expect(evaluate(source)).toEqual(expected));

  it.each([
    ["int('x') == 1", "type conversion error from 'string' to 'int'"],
    ["int('9223372036854775808') == 1", "type conversion error from 'string' to 'int'"],
    ["int(1e19) == 1", "integer overflow"],
    ["int(18446744073709551615u) == 1", "integer overflow"],
    ["uint(-1) == 1u", "unsigned integer overflow"],
    ["uint('-1') == 1u", "type conversion error from 'string' to 'uint'"],
    ["double('x') == 1.0", "type conversion error from 'string' to 'double'"],
    ["bool('yes')", "type conversion error from 'string' to 'bool'"],
    ["string(b'\\xff') == ''", "invalid UTF-8 in bytes, cannot convert to string"],
    [
      "timestamp(dyn('x')) == timestamp(0)",
      "type conversion error from 'string' to 'google.protobuf.Timestamp'",
    ],
    ["timestamp(253402300800) == timestamp(0)", "timestamp overflow"],
    [
      "duration(dyn('1')) == duration('1s')",
      "type conversion error from 'string' to 'google.protobuf.Duration'",
    ],
  ])("%s of a literal fails at compile time: %s", (source, message) => {
    expect(() => evaluate(source)).toThrow(
      new CelCompileError(`program instantiation failed: ${message}`, []),
    );
  });

  it("of a variable fail at evaluation", () => {
    const options = { variables: { self: stringType }, bindings: { self: "x" } };
    const message = "type conversion error from 'string' to 'int'";
    expect(() => evaluate("int(self) == 1", options)).toThrow(new CelEvaluationError(message));
  });
});

describe("CEL strings", () => {
  it.each([
    ["'abc'.contains('b') && !'abc'.contains('x') && 'abc'.contains('')", true],
    ["'abc'.startsWith('ab') && !'abc'.startsWith('b') && 'abc'.endsWith('bc')", true],
    ["'abc'.matches('^a.c$') && !'abc'.matches('^b') && matches('abc', 'b')", true],
    ["'a\\nb'.matches('a.b') == false && 'a\\nb'.matches('(?s)a.b')", true],
    ["'héllo'.matches('^h\\\\p{L}llo$')", true],
  ])("%s", (source, expected) => expect(evaluate(source)).toBe(expected));

  it.each(["'a'.matches('(?=a)')", "'a'.matches('(a)\\\\1')", "'a'.find('(')"])(
    "%s is refused: RE2 has no such thing",
    (source) => {
      expect(() => evaluate(source)).toThrow(CelCompileError);
    },
  );

  it("matches a hostile pattern in linear time", () => {
    const start = performance.now();
    expect(evaluate(`'${"a".repeat(5000)}b'.matches('^(a+)+$')`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe("CEL timestamps and durations", () => {
  const time = "timestamp('2024-02-29T23:30:15.678Z')";
  it.each([
    [`${time}.getFullYear()`, 2024],
    [`${time}.getMonth()`, 1],
    [`${time}.getDate()`, 29],
    [`${time}.getDayOfMonth()`, 28],
    [`${time}.getDayOfWeek()`, 4],
    [`${time}.getDayOfYear()`, 59],
    [`${time}.getHours()`, 23],
    [`${time}.getMinutes()`, 30],
    [`${time}.getSeconds()`, 15],
    [`${time}.getMilliseconds()`, 678],
    [`${time}.getHours('Europe/Berlin')`, 0],
    [`${time}.getDate('Europe/Berlin')`, 1],
    [`${time}.getHours('-02:30')`, 21],
    [`${time}.getHours('America/New_York')`, 18],
    [`${time}.getHours('UTC')`, 23],
    ["duration('90m').getHours() + duration('90m').getMinutes()", 91],
    ["duration('1.5s').getMilliseconds() + duration('61s').getSeconds()", 1561],
    [`${time} + duration('30m') == timestamp('2024-03-01T00:00:15.678Z')`, true],
    [`duration('1h') + ${time} > ${time} && ${time} - duration('1h') < ${time}`, true],
    ["timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z') == duration('24h')", true],
    ["duration('1h') - duration('30m') + duration('30m') == duration('60m')", true],
    ["duration('-1.5h') < duration('0') && duration('1h2m3s4ms5us6ns') > duration('1h')", true],
    ["timestamp('0001-01-01T00:00:00Z') < timestamp('9999-12-31T23:59:59.999999999Z')", true],
  ])("%s is %j", (source, expected) => expect(evaluate(source)).toEqual(expected));

  it.each([
    ["timestamp('9999-12-31T23:59:59Z') + duration('1s') > timestamp(0)", "timestamp overflow"],
    [`${time}.getHours('Mars/Olympus') == 1`, "unknown time zone Mars/Olympus"],
    [
      "timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z') > duration('1s')",
      "duration overflow",
    ],
  ])("%s fails: %s", (source, message) => {
    expect(() => evaluate(source)).toThrow(new CelEvaluationError(message));
  });

  it.each([
    "2024-02-30T00:00:00Z",
    "2024-01-01",
    "2024-01-01T24:00:00Z",
    "2024-01-01T00:00:00",
    "2024-13-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
  ])("timestamp(%s) is refused", (text) =>
    expect(() => evaluate(`timestamp('${text}') == timestamp(0)`)).toThrow("invalid timestamp argument"),
  );

  it.each(["1", "h", "1x", "", "1h-1m", "1.5", "9999999h"])("duration(%s) is refused", (text) => {
    expect(() => evaluate(`duration('${text}') == duration('1s')`)).toThrow("invalid duration argument");
  });
});

describe("CEL optionals", () => {
  it.each([
    ["optional.of(1)", { some: 1 }],
    ["optional.none()", "none"],
    ["optional.ofNonZeroValue('')", "none"],
    ["[optional.ofNonZeroValue(0), optional.ofNonZeroValue(5)]", ["none", { some: 5 }]],
    ["optional.ofNonZeroValue([]).hasValue() || optional.ofNonZeroValue({}).hasValue()", false],
    ["{'a': 1}.?a", { some: 1 }],
    ["{'a': 1}.?b", "none"],
    ["{'a': {'b': 1}}.?a.b", { some: 1 }],
    ["{'a': {'b': 1}}.?x.?b.orValue(7)", 7],
    ["{'a': {'b': 1}}.?a.?b.orValue(7)", 1],
    ["[1, 2][?1]", { some: 2 }],
    ["[1, 2][?5]", "none"],
    ["{'a': 1}[?'a'].value()", 1],
    ["{'a': [1, 2]}.?a[1]", { some: 2 }],
    ["optional.of(1).hasValue() && !optional.none().hasValue()", true],
    ["optional.none().or(optional.of(2))", { some: 2 }],
    ["optional.of(1).or(optional.of(2)).value()", 1],
    ["optional.of(1).orValue(1 / 0)", 1],
    ["optional.of(2).optMap(x, x * 2)", { some: 4 }],
    ["optional.none().optMap(x, x)", "none"],
    ["optional.of({'a': 1}).optFlatMap(m, m.?a)", { some: 1 }],
    ["optional.of(1) == optional.of(1) && optional.of(1) != optional.none()", true],
    ["[?optional.of(1), ?optional.none(), 3]", [1, 3]],
    ["{?'a': optional.of(1), ?'b': optional.none()}", { a: 1 }],
    ["has({'a': {'b': 1}}.?a.b) && !has({'a': {'b': 1}}.?x.b)", true],
    ["[1, 2].first().value() + [1, 2].last().value()", 3],
    ["[].first()", "none"],
    ["optional.unwrap([optional.of(1), optional.none()]) + [optional.of(2)].unwrapOpt()", [1, 2]],
  ])("%s is %j", (source, expected) => expect(evaluate(source)).toEqual(expected));

  it.each([
    ["optional.none().value() == 1", "optional.none() dereference"],
    ["optional.none().orValue(1 / 0) == 1", "division by zero"],
  ])("%s fails: %s", (source, message) => {
    expect(() => evaluate(source)).toThrow(new CelEvaluationError(message));
  });

  it("evaluate chains of optMap in linear time", () => {
    const chain = `optional.of(1)${".optMap(x, x + 1)".repeat(60)}.value()`;
    expect(evaluate(chain)).toBe(61);
  });
});
