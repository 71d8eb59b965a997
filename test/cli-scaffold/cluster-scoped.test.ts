// Kinds without a namespace, from every template.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { Workspace } from "./command-line.js";

test.each(["minimal", "app"])(
  "create api --template %s --namespaced=false: the CRD is cluster-scoped",
  async (template) => {
    using shop = new Workspace();
    await shop.ok("init shop --domain example.com");
    shop.enter("shop");
    symlinkSync(join(import.meta.dirname, "../../node_modules"), shop.path("node_modules"));
    await shop.ok(
      `create api --group shop --version v1 --kind Site --template ${template} --namespaced=false`,
    );
    await shop.ok("manifests");
    expect(parse(shop.read("config/crd/bases/shop.example.com_sites.yaml")).spec.scope).toBe("Cluster");
    if (template === "app")
      expect(shop.read("src/controllers/site-children.ts")).toContain('namespace = "default"');
  },
  60_000,
);
