import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LabelSelector } from "./generated/meta-v1.js";
import { LabelMatcher, validateLabelSelector } from "./label-selector.js";

const keyText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation " +
  "is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe("label selector query", () => {
  it.each([
    ["", ""],
    ["x=a,y=b,z=c", "x=a,y=b,z=c"],
    ["z=c,x=a", "x=a,z=c"],
    ["x!=a,y==b", "x!=a,y==b"],
    [" x = a ", "x=a"],
    ["x=", "x="],
    ["x= ,z= ", "x=,z="],
    ["!x", "!x"],
    ["x", "x"],
    ["\rx", "x"],
    ["x>1,z<5", "x>1,z<5"],
    ["x in (def,abc)", "x in (abc,def)"],
    ["foo  in\t (abc)", "foo in (abc)"],
    ["x in (abc,,def,abc)", "x in (,abc,def)"],
    ["x in ()", "x in ()"],
    ["x in (,)", "x in ()"],
    ["x notin (abc,def),bar,z in (),w", "bar,w,x notin (abc,def),z in ()"],
    ["in in (notin, in)", "in in (in,notin)"],
    ["notin=in", "notin=in"],
    [
      "example.com/key notin (10.10.100.1, tick.tack.clock)",
      "example.com/key notin (10.10.100.1,tick.tack.clock)",
    ],
  ])("%j is %j in canonical form", (text, expected) => {
    const matcher = LabelMatcher.parse(text);
    expect(matcher.toString()).toBe(expected);
    expect(LabelMatcher.parse(expected).requirements).toEqual(matcher.requirements);
  });

  it.each([
    ["=x", "found '=', expected: !, identifier, or 'end of string'"],
    [",x", "found ',', expected: !, identifier, or 'end of string'"],
    ["x y", "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"],
    ["app=x y", "found 'y', expected: ',' or 'end of string'"],
    ["x==a==b", "found '==', expected: ',' or 'end of string'"],
    ["!x=a", "found '=', expected: ',' or 'end of string'"],
    ["x,", "found '', expected: identifier after ','"],
    ["x,,y", "found ',', expected: identifier after ','"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["!!x", "unable to parse requirement: found '!', expected: identifier"],
    ["x=(a)", "unable to parse requirement: found '(', expected: identifier"],
    ["app in", "unable to parse requirement: found '' expected: '('"],
    ["app in x", "unable to parse requirement: found 'x' expected: '('"],
    ["app in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["app in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ["app in (x,", "unable to parse requirement: found '', expected: ',', or identifier"],
    ["app in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["app in (,=)", "unable to parse requirement: found '=', expected: ',', or identifier"],
    [
      "app>",
      "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [
      "x<a",
      "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ["app=-bad-", `unable to parse requirement: values[0][app]: Invalid value: "-bad-": ${valueText}`],
    [
      "app in (-a,-b)",
      `unable to parse requirement: [values[0][app]: Invalid value: "-a": ${valueText}, ` +
        `values[1][app]: Invalid value: "-b": ${valueText}]`,
    ],
    [
      "a//b=c",
      `unable to parse requirement: <nil>: Invalid value: "a//b": a valid label key ${keyText} ` +
        "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
    ["x=a||y=b", `unable to parse requirement: values[0][x]: Invalid value: "a||y": ${valueText}`],
  ])("%j is refused", (text, message) => {
    expect(() => LabelMatcher.parse(text)).toThrow(new SyntaxError(message));
  });

  it("is read in time that grows with its length and no faster", () => {
    expect(LabelMatcher.parse(`x in (${"a,".repeat(300_000)})`).toString()).toBe("x in (,a)");
    expect(LabelMatcher.parse(`x${" ".repeat(1e6)}`).toString()).toBe("x");
  });
});

describe("label selector matching", () => {
  it.each([
    ["", { x: "y" }, true],
    ["x=y", { x: "y" }, true],
    ["x=y,z=w", { x: "y", z: "w" }, true],
    ["x=y,z=w", { x: "w", z: "w" }, false],
    ["x!=y,z!=w", { x: "z", z: "a" }, true],
    ["x!=y", {}, true],
    ["x=z", {}, false],
    ["x=", { x: "" }, true],
    ["x=", {}, false],
    ["x", { x: "" }, true],
    ["x", { y: "z" }, false],
    ["!x", { y: "z" }, true],
    ["!x", { x: "z" }, false],
    ["x in (a,b)", { x: "b" }, true],
    ["x in (a,b)", { x: "c" }, false],
    ["x in ()", { x: "" }, true],
    ["x notin (a)", { x: "a" }, false],
    ["x notin (a)", {}, true],
    ["x>1", { x: "2" }, true],
    ["x>1", { x: "1" }, false],
    ["x<1", { x: "0" }, true],
    ["x>1", { x: "v2" }, false],
    ["x<1", {}, false],
    ["x>9007199254740992", { x: "9007199254740993" }, true],
    ["x<9223372036854775807", { x: "9223372036854775808" }, false],
    ["constructor", {}, false],
    ["!toString", {}, true],
    ["constructor=x", { constructor: "x" }, true],
  ])("%j on %j: %s", (text, labels, expected) => {
    expect(LabelMatcher.parse(text).matches(labels)).toBe(expected);
  });

  it("decides of a long selector as of its requirements one by one", () => {
    const keys = fc.constantFrom("a", "b", "c", "constructor");
    const value = fc.constantFrom("1", "2", "3", "x", "");
    const term = fc.oneof(
      fc.tuple(keys, fc.constantFrom("=", "!=", "=="), value).map((parts) => parts.join("")),
      fc
        .tuple(keys, fc.constantFrom(">", "<"), fc.constantFrom("0", "1", "2", "3"))
        .map((parts) => parts.join("")),
      fc
        .tuple(keys, fc.constantFrom("in", "notin"), fc.uniqueArray(value, { minLength: 1 }))
        .map(([key, operator, list]) => `${key} ${operator} (${list.join(",")})`),
      keys,
      keys.map((key) => `!${key}`),
    );
    const labels = fc.dictionary(keys, value, { noNullPrototype: true });
    // Says nothing, and makes a selector long.
    const filler = Array.from({ length: 20 }, (_, index) => `filler${index}!=x`);
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), labels, (terms, actual) => {
        const each = terms.every((text) => LabelMatcher.parse(text).matches(actual));
        expect(LabelMatcher.parse([...filler, ...terms].join()).matches(actual)).toBe(each);
      }),
    );
  });

  it.each([
    ["keys", (index: number) => `!k${index}`],
    ["values", (index: number) => `app!=k${index}`],
    ["sets", (index: number) => `app notin (k${index},x)`],
  ])("takes no longer for a selector with many %s than for the labels there are", (_what, term) => {
    const matcher = LabelMatcher.parse(Array.from({ length: 20_000 }, (_, index) => term(index)).join());
    const labels = { app: "web", tier: "front" };
    // Two thousand million looks at requirements would take minutes.
    let matched = 0;
    for (let round = 0; round < 100_000; round++) if (matcher.matches(labels)) matched++;
    expect(matched).toBe(100_000);
  });

  it("takes missing labels for none", () => {
    expect(LabelMatcher.parse("!x").matches(undefined)).toBe(true);
    expect(LabelMatcher.parse("x").matches(undefined)).toBe(false);
  });

  it("can be everything or nothing", () => {
    expect(LabelMatcher.everything.matches(undefined)).toBe(true);
    expect(LabelMatcher.nothing.matches({ x: "y" })).toBe(false);
    expect(LabelMatcher.nothing.isNothing).toBe(true);
  });

  it("agrees with plain equality for a set of labels", () => {
    const labels = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom("x", "y", ""), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(labels, labels, (wanted, actual) => {
        const expected = Object.entries(wanted).every(([key, value]) => actual[key] === value);
        expect(LabelMatcher.ofLabels(wanted).matches(actual)).toBe(expected);
        expect(LabelMatcher.from({ matchLabels: wanted }).matches(actual)).toBe(expected);
        expect(LabelMatcher.parse(LabelMatcher.ofLabels(wanted).toString()).matches(actual)).toBe(expected);
      }),
    );
  });

  it("is the opposite for opposite operators", () => {
    const values = fc.uniqueArray(fc.constantFrom("x", "y", "z", ""), { minLength: 1 });
    const labels = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y", "z", ""));
    fc.assert(
      fc.property(values, labels, (list, actual) => {
        const text = `(${list.join(",")})`;
        expect(LabelMatcher.parse(`a in ${text}`).matches(actual)).toBe(
          !LabelMatcher.parse(`a notin ${text}`).matches(actual),
        );
        expect(LabelMatcher.parse("a").matches(actual)).toBe(!LabelMatcher.parse("!a").matches(actual));
      }),
    );
  });

  it.each([
    ["x=a", "x", "a"],
    ["x in (a)", "x", "a"],
    ["x in (a,b)", "x", undefined],
    ["x!=a", "x", undefined],
    ["x=a", "y", undefined],
  ])("%s demands of %s exactly %s", (text, key, expected) => {
    expect(LabelMatcher.parse(text).exactValue(key)).toBe(expected);
  });
});

describe("label selector field", () => {
  it("means nothing when unset and everything when empty", () => {
    expect(LabelMatcher.from(undefined)).toBe(LabelMatcher.nothing);
    expect(LabelMatcher.from({}).matches({})).toBe(true);
    expect(LabelMatcher.from({ matchLabels: {}, matchExpressions: [] }).toString()).toBe("");
  });

  it("combines labels and expressions", () => {
    const matcher = LabelMatcher.from({
      matchLabels: { tier: "front", app: "web" },
      matchExpressions: [
        { key: "track", operator: "In", values: ["stable", "beta"] },
        { key: "old", operator: "DoesNotExist" },
        { key: "env", operator: "NotIn", values: ["dev"] },
        { key: "owner", operator: "Exists", values: [] },
      ],
    });
    expect(matcher.toString()).toBe("app=web,env notin (dev),!old,owner,tier=front,track in (beta,stable)");
    expect(matcher.matches({ app: "web", tier: "front", track: "beta", owner: "me" })).toBe(true);
    expect(matcher.matches({ app: "web", tier: "front", track: "beta", owner: "me", env: "dev" })).toBe(
      false,
    );
  });

  it.each<[LabelSelector, string]>([
    [
      { matchExpressions: [{ key: "a", operator: "Near", values: ["x"] }] },
      '"Near" is not a valid label selector operator',
    ],
    [
      { matchExpressions: [{ key: "a", operator: "In" }] },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
    [{ matchLabels: { a: "-" } }, `values[0][a]: Invalid value: "-": ${valueText}`],
    [{ matchLabels: { "b@d": "x" } }, `key: Invalid value: "b@d": name part ${keyText}`],
  ])("%j does not compile", (selector, message) => {
    expect(() => LabelMatcher.from(selector)).toThrow(new SyntaxError(message));
  });

  it("is validated field by field", () => {
    const selector: LabelSelector = {
      matchLabels: { "b@d": "x" },
      matchExpressions: [
        { key: "ok", operator: "In" },
        { key: "ok", operator: "Exists", values: ["x"] },
        { key: "b@d", operator: "Near", values: ["-"] },
      ],
    };
    expect(
      validateLabelSelector(selector, "spec.selector").map(({ field, message }) => [field, message]),
    ).toEqual([
      ["spec.selector.matchLabels", `Invalid value: "b@d": name part ${keyText}`],
      [
        "spec.selector.matchExpressions[0].values",
        "Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
      [
        "spec.selector.matchExpressions[1].values",
        "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      ],
      ["spec.selector.matchExpressions[2].operator", 'Invalid value: "Near": not a valid selector operator'],
      ["spec.selector.matchExpressions[2].key", `Invalid value: "b@d": name part ${keyText}`],
      ["spec.selector.matchExpressions[2].values[0]", `Invalid value: "-": ${valueText}`],
    ]);
    expect(validateLabelSelector({ matchLabels: { a: "b" } }, "f")).toEqual([]);
    expect(validateLabelSelector(undefined, "f")).toEqual([]);
  });
});
