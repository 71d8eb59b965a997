import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../scripts/generate-api.mjs", import.meta.url));
const facts = new URL("../../shared/kube/", import.meta.url);

it.skipIf(!existsSync(facts))(
  "generating the API again changes nothing (skipped where its sources are not)",
  () => {
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  },
);
