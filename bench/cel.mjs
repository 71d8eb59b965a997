// Evaluating validation rules, against bare @marcbachmann/cel-js on the same rules and objects, side by side in one run. Ours counts cost,
// checks every field it reads against the schema and sees integers as integers; the other does none of that. A ratio below 1 means
// that ours is faster.
import { celTypeOf, compileExpression, createBudget } from "@kubewright/cel";
import { Environment } from "@marcbachmann/cel-js";

const integer = { type: "integer" };
const text = (maxLength) => ({ type: "string", maxLength });
const schema = {
  type: "object",
  properties: {
    min: integer,
    max: integer,
    replicas: integer,
    name: text(63),
    image: text(200),
    tier: text(20),
    resources: { type: "object", properties: { cpu: text(20) } },
    numbers: { type: "array", maxItems: 100, items: integer },
    ports: {
      type: "array",
      maxItems: 50,
      items: { type: "object", properties: { name: text(15), port: integer, protocol: text(10) } },
    },
    labels: { type: "object", maxProperties: 50, additionalProperties: text(63) },
  },
};
const self = {
  min: 1,
  max: 5,
  replicas: 3,
  name: "web-frontend",
  image: "registry.example.com/team/web:1.2.3",
  tier: "custom",
  resources: { cpu: "500m" },
  numbers: Array.from({ length: 50 }, (_, index) => index + 1),
  ports: Array.from({ length: 20 }, (_, index) => ({
    name: `port-${index}`,
    port: 8000 + index,
    protocol: "TCP",
  })),
  labels: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`key-${index}`, `value-${index}`])),
};

const rules = {
  "compare two fields": "self.min <= self.max",
  "presence and comparison":
    "!has(self.min) || !has(self.max) || self.min <= self.replicas && self.replicas <= self.max",
  strings: "self.name.startsWith('web') && self.image.contains(':')",
  "conditional requirement": "self.tier != 'custom' || has(self.resources)",
  "all numbers": "self.numbers.all(x, x > 0)",
  "a field of every port": "self.ports.all(p, p.port > 0 && p.port < 65536)",
  "unique names": "self.ports.all(p, self.ports.exists_one(q, q.name == p.name))",
  "map and size": "self.ports.map(p, p.name).size() == self.ports.size()",
  "keys of a map": "self.labels.all(k, k.startsWith('key-'))",
};

// The other engine reads JSON numbers as doubles; integers have to be given to it as bigints, which is done ahead here.
const withBigints = JSON.parse(JSON.stringify(self), (_key, value) =>
  Number.isInteger(value) ? BigInt(value) : value,
);
const other = new Environment().registerVariable("self", "dyn");
const type = celTypeOf(schema);

function rate(run) {
  const until = performance.now() + 150;
  let count = 0;
  while (performance.now() < until) {
    for (let index = 0; index < 200; index += 1) run();
    count += 200;
  }
  return count / 0.15;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const ratios = [];
for (const [name, rule] of Object.entries(rules)) {
  const ours = compileExpression(rule, { variables: { self: type } });
  const theirs = other.parse(rule);
  const bindings = { self };
  const theirBindings = { self: withBigints };
  const budget = createBudget(Number.MAX_SAFE_INTEGER);
  const runOurs = () => ours.evaluate(bindings, budget);
  const runTheirs = () => theirs(theirBindings);
  if (runOurs() !== true || runTheirs() !== true) throw new Error(`${name}: the rule should hold`);
  const rounds = Array.from({ length: 5 }, () => [rate(runOurs), rate(runTheirs)]);
  const [a, b] = [median(rounds.map(([x]) => x)), median(rounds.map(([, x]) => x))];
  ratios.push(b / a);
  const perSecond = (value) => `${Math.round(value).toLocaleString("en")}/s`.padStart(13);
  console.log(
    `${name.padEnd(26)} ours ${perSecond(a)}   cel-js ${perSecond(b)}   time ratio ${(b / a).toFixed(2)}`,
  );
}
const mean = Math.exp(ratios.reduce((total, ratio) => total + Math.log(ratio), 0) / ratios.length);
console.log(`geometric mean of time ratios: ${mean.toFixed(2)} (aim: at most 1, the bare engine)`);

// No rule may hang the process: three nested loops over 250 elements end by budget.
const nested = compileExpression("self.all(x, self.all(y, self.all(z, x + y + z >= 0)))", {
  variables: { self: celTypeOf({ type: "array", maxItems: 250, items: integer }) },
});
const start = performance.now();
try {
  nested.evaluate({ self: Array.from({ length: 250 }, (_, index) => index) }, createBudget());
} catch (error) {
  console.log(`nested loops over 250³: ${error.name} after ${(performance.now() - start).toFixed(1)} ms`);
}
