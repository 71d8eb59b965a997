import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addImport, addListElement, addNestedProperty, addProperty } from "./source-edit.js";
import { tokenize } from "./tokens.js";

const add = (source: string) => addListElement(source, "defineManager", "controllers", "b");

describe("an element is added the way the list is written", () => {
  test.each([
    ["defineManager({ controllers: [] });", "defineManager({ controllers: [b] });"],
    ["defineManager({ controllers: [a] })", "defineManager({ controllers: [a, b] })"],
    ["defineManager({ controllers: [a, ] })", "defineManager({ controllers: [a, b, ] })"],
    [
      "defineManager({\n  controllers: [\n    a, // first\n  ],\n});",
      "defineManager({\n  controllers: [\n    a, // first\n    b,\n  ],\n});",
    ],
    [
      "defineManager({\n  controllers: [\n    a({ x: [1, 2] })\n  ],\n});",
      "defineManager({\n  controllers: [\n    a({ x: [1, 2] }),\n    b,\n  ],\n});",
    ],
    ['defineManager({ name: "x" })', 'defineManager({ name: "x", controllers: [b] })'],
    [
      'defineManager({\n  name: "x", // why\n})',
      'defineManager({\n  name: "x", // why\n  controllers: [b],\n})',
    ],
    ["defineManager({})", "defineManager({ controllers: [b] })"],
    ["defineManager({ controllers: [\n  // none\n] })", "defineManager({ controllers: [b,\n  // none\n] })"],
    ["defineManager({ controllers: [a, ...more] })", "defineManager({ controllers: [a, ...more, b] })"],
    [
      'const s = "defineManager({ controllers: [] })"; // defineManager({\ndefineManager({ controllers: [/[\\]/]/.test(`${"]"}`) ? a : c] })',
      'const s = "defineManager({ controllers: [] })"; // defineManager({\ndefineManager({ controllers: [/[\\]/]/.test(`${"]"}`) ? a : c, b] })',
    ],
    [
      "defineManager({ nested: { controllers: [x] }, controllers: [] })",
      "defineManager({ nested: { controllers: [x] }, controllers: [b] })",
    ],
  ])("%s", (before, after) => {
    expect(add(before)).toBe(after);
    expect(add(after), "twice changes nothing").toBe(after);
  });
});

describe("what is written otherwise is left to its author", () => {
  test.each([
    ["defineManager(options)"],
    ["defineManager({ controllers })"],
    ["defineManager({ controllers: all })"],
    ["defineManager({ ...rest })"],
    ["makeManager({ controllers: [] })"],
    ['defineManager({ controllers: ["unclosed] })'],
    ["defineManager({ controllers: [ }"],
    [""],
  ])("%s", (source) => {
    expect(add(source)).toBeUndefined();
  });
});

describe("an import", () => {
  const line = 'import { b } from "./controllers/b.js";\n';
  test.each([
    ['import { x } from "x";\n\nrun();\n', `import { x } from "x";\n${line}\nrun();\n`],
    [
      '// Why.\nimport { x } from "x";\nimport { z } from "./z.js";\n',
      `// Why.\nimport { x } from "x";\n${line}import { z } from "./z.js";\n`,
    ],
    ["run();\n", `${line}\nrun();\n`],
    [line, line],
    [
      'import type {\n  b,\n} from "./controllers/b.js";\n',
      'import type {\n  b,\n} from "./controllers/b.js";\n',
    ],
    [
      'import "./a.js"; // first\nimport("./x.js");\n',
      `import "./a.js"; // first\n${line}import("./x.js");\n`,
    ],
  ])("%j", (before, after) => {
    expect(addImport(before, "b", "./controllers/b.js")).toBe(after);
  });
});

test("properties are added once", () => {
  const source = 'export const A = defineResource({\n  kind: "A",\n});\n';
  const with1 = addProperty(source, "defineResource", "conversion", '"webhook"');
  expect(with1).toBe('export const A = defineResource({\n  kind: "A",\n  conversion: "webhook",\n});\n');
  expect(addProperty(with1!, "defineResource", "conversion", '"none"')).toBe(with1);
  const version = { name: "v2", value: "aV2" };
  const with2 = addNestedProperty(with1!, "defineResource", "versions", version);
  expect(with2).toContain("  versions: { v2: aV2 },\n");
  expect(addNestedProperty(with2!, "defineResource", "versions", version)).toBe(with2);
  expect(addNestedProperty(with2!, "defineResource", "versions", { name: "v3", value: "aV3" })).toContain(
    "versions: { v2: aV2, v3: aV3 }",
  );
});

test("tokens cover their text, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab /*`{}$'\"\\\n[](),.:") }), (source) => {
      let tokens: ReturnType<typeof tokenize> = [];
      try {
        tokens = tokenize(source);
      } catch {
        return;
      }
      for (const { start, end, text } of tokens) expect(source.slice(start, end)).toBe(text);
    }),
  );
});
