// The place in the author's own code that an error came from: a whole stack has it too, among twenty lines of other people's.
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** `src/controllers/web.ts:12:5`: the innermost place below a folder, packages aside; undefined where the stack has none. */
export function sourceLineOf(error: unknown, root: string): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    for (const line of each.stack?.split("\n") ?? []) {
      const place = placeOf(line, root);
      if (place !== undefined) return place;
    }
  }
  return undefined;
}

/** `at reconcile (file:///shop/src/web.ts:12:5)`, with or without the name and the brackets. */
const frame = /^\s+at (?:async )?(?:[^/]*\()?(.+):(\d+):(\d+)\)?$/;

function placeOf(line: string, root: string): string | undefined {
  const [, file = "", row, column] = frame.exec(line) ?? [];
  const path = file.startsWith("file://") ? fileURLToPath(file) : file;
  if (!path.startsWith(root + sep) || path.includes(`${sep}node_modules${sep}`)) return undefined;
  return `${relative(root, path)}:${row}:${column}`;
}
