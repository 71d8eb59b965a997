import { describe, expect, it } from "vitest";
import { celFieldName, celLiteral, ruleFieldPath } from "./cel-source.js";

describe("CEL source", () => {
  it.each([
    ["size", "size"],
    ["my-field", "my__dash__field"],
    ["a.b/c", "a__dot__b__slash__c"],
    ["a__b", "a__underscores__b"],
    ["namespace", "__namespace__"],
    ["in", "__in__"],
  ])("the field %s is called %s", (field, name) => {
    expect(celFieldName(field)).toBe(name);
  });

  it.each([
    ["it's", "'it\\'s'"],
    ['say "a"', "'say \"a\"'"],
    ["a\\b\n", "'a\\\\b\\n'"],
    [3, "3"],
    [true, "true"],
  ])("the literal %j is written %s", (value, literal) => {
    expect(celLiteral(value)).toBe(literal);
  });

  it.each([
    ["mount-path", ".mount-path"],
    ["a.b", "['a.b']"],
    ["it's", "['it\\'s']"],
  ])("the path of %s is %s", (field, path) => {
    expect(ruleFieldPath(field)).toBe(path);
  });
});
