// What importing costs: `Deployment` from the built package (aim: under 10 ms and 2 MB), and the first use of type info.
// Each figure is the median over fresh processes whose module loader has already loaded something; memory is what
// is still held after a collection. Importing any file at all has a price, printed first; the ratio is to that.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const dist = new URL("../packages/api/dist/", import.meta.url);
const rounds = 15;

const cases = {
  "(a file of 1 KB)": `await import(base + "../package.json", { with: { type: "json" } });`,
  "import { Deployment } from api": `const { Deployment } = await import(base + "index.js"); use(Deployment.plural);`,
  "import api/typeInfo": `const { kindTypeInfo } = await import(base + "type-info/index.js"); use(kindTypeInfo);`,
  "  + typeInfo of Deployment": `const { kindTypeInfo } = await import(base + "type-info/index.js");
    use(kindTypeInfo({ group: "apps", version: "v1", kind: "Deployment" }));`,
};

const program = (body) => `
  const base = ${JSON.stringify(dist.href)};
  const held = [];
  const use = (value) => held.push(value);
  await import("data:text/javascript,export%20const%20warm%20=%20true");
  gc();
  const before = process.memoryUsage();
  const start = performance.now();
  ${body}
  const ms = performance.now() - start;
  gc();
  const after = process.memoryUsage();
  console.log(JSON.stringify({ ms, heap: after.heapUsed - before.heapUsed, rss: after.rss - before.rss, held: held.length }));
`;

if (!existsSync(fileURLToPath(new URL("index.js", dist)))) {
  console.error("packages/api is not built: run `npm run prepare` first");
  process.exit(1);
}

const measured = Object.entries(cases).map(([name, body]) => {
  const runs = Array.from({ length: rounds }, () => run(program(body)));
  const figure = (key) => median(runs.map((result) => result[key]));
  return { name, ms: figure("ms"), heap: figure("heap") / 2 ** 20, rss: figure("rss") / 2 ** 20 };
});
const [floor, deployment] = measured;
for (const { name, ms, heap, rss } of measured) {
  const ratio = (ms / floor.ms).toFixed(2);
  console.log(
    `${name.padEnd(32)} ${ms.toFixed(2)} ms (${ratio}×), heap ${heap.toFixed(2)} MB, RSS ${rss.toFixed(2)} MB`,
  );
}
const above = (key) => (deployment[key] - floor[key]).toFixed(2);
console.log(
  `Deployment, beyond any import    ${above("ms")} ms, heap ${above("heap")} MB, RSS ${above("rss")} MB (aim: under 10 ms and 2 MB)`,
);

function run(source) {
  const result = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "--eval", source], {
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(result.stderr);
  return JSON.parse(result.stdout);
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
