import { fieldError } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { compileSelector, validateDeviceSelectors } from "./device-selector.js";

const own = 'device.attributes["d.example.com00"]';

describe("the estimated cost of a device selector", () => {
  // The estimates of kube-apiserver for these expressions.
  it.each([
    ["true", 0],
    ['device.driver == ""', 2],
    ['device.driver == "dra.example.com"', 4],
    ['"no-such-domain" in device.attributes', 3],
    [`${own}.name`, 4],
    [`${own}["name"]`, 4],
    [`${own}.name > 0`, 5],
    [`${own}.name == "fish"`, 5],
    [`cel.bind(own, ${own}, own.name)`, 15],
    [`${own}.name.isGreaterThan(semver("0.0.1"))`, 6],
    ['device.capacity["d"].name.isGreaterThan(quantity("1Ki"))', 6],
    ['!("name" in device.capacity["d"]) || device.capacity["d"].name.isGreaterThan(quantity("1Ki"))', 11],
    [`${own}.a && ${own}.b && ${own}.c`, 12],
    [`${own}.names.size() == 2`, 6],
    [`${own}.name.exists(x, x > 0)`, 5 + 6 * 64],
    [`${own}.names.all(x, x != "")`, 5 + 4 * 64],
    [`1 in ${own}.names`, 4 + 64],
    ['device.attributes.exists_one(x, x == "dra.example.com")', 164],
    ['device.attributes["d"].exists_one(x, x == "services")', 133],
    ['device.capacity.exists_one(x, x == "dra.example.com")', 164],
    [`${own}.services.split("example").size() >= 2`, 19],
    [`${own}.services.matches("[^a]?sym")`, 18],
    ["device.allowMultipleAllocations == true", 3],
  ])("%s is %d", (expression, cost) => {
    expect(compileSelector(expression).cost.max).toBe(cost);
  });

  const numbers = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  const nested = (depth: number): string =>
    depth === 0 ? "int('1'.find('[0-9]*')) < 100" : `${numbers}.all(x${depth}, ${nested(depth - 1)})`;

  it("is limited", () => {
    expect(compileSelector(nested(7)).cost.max).toBe(85_555_551);
    const errors = validateDeviceSelectors([{ cel: { expression: nested(7) } }], "spec");
    expect(errors).toEqual([
      fieldError.forbidden("spec[0].cel.expression", "too complex, exceeds cost limit"),
    ]);
    expect(validateDeviceSelectors([{ cel: { expression: nested(4) } }], "spec")).toEqual([]);
  });
});
