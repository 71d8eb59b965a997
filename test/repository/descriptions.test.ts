// The descriptions of built-in types are large, and only OpenAPI documents need them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const packages = join(import.meta.dirname, "../../packages");

test("descriptions: no source imports them statically, so that neither operators nor a starting server load them", () => {
  const names = readdirSync(packages).filter((name) => existsSync(join(packages, name, "src")));
  const files = names.flatMap((name) =>
    readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.startsWith("descriptions/"))
      .map((file) => join(packages, name, "src", file)),
  );
  const importers = files.filter((file) =>
    /(?:from|import) "(?:@kubewright\/api\/descriptions|[./]+\/descriptions\/[^"]*|[./]+\/description-table\.js)"/.test(
      readFileSync(file, "utf8"),
    ),
  );
  expect(files.length).toBeGreaterThan(1000);
  expect(importers).toEqual([]);
});
