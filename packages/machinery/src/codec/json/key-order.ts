// The keys of a JSON text in the order in which they stand, keys that stand twice included.
import { formatPath } from "./json-scanner.js";

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** The path of each key of a text that is JSON: `spec`, `spec.replicas`, `spec.containers[0].name`. */
export function* keyPaths(text: string): Iterable<string> {
  const path: (string | number)[] = [];
  let last: string | undefined;
  for (const [found] of text.matchAll(token)) {
    const top = path.length - 1;
    const step = path[top];
    if (found === "{") path.push("");
    else if (found === "[") path.push(0);
    else if (found === "}" || found === "]") path.pop();
    else if (found === "," && typeof step === "number") path[top] = step + 1;
    else if (found === ":" && last !== undefined) {
      path[top] = JSON.parse(last);
      yield formatPath(path);
    }
    last = found;
  }
}
