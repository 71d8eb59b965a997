// Two served versions of one kind. Objects are stored as v1; clients that still use v1alpha1 read and write the same objects.
import { ConfigMap } from "@kubewright/api";
import { defineController, defineConversion, defineManager } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";

export const Database = defineResource({
  group: "examples.kubewright.dev",
  version: "v1", // the storage version, and the one that the controller sees
  kind: "Database",
  spec: z.object({
    storage: z.object({ gigabytes: z.int().min(1), className: z.string().default("standard") }),
    engine: z.enum(["postgres", "mysql"]).default("postgres"),
  }),
  columns: { Engine: ".spec.engine", Size: ".spec.storage.gigabytes" },
  versions: {
    v1alpha1: {
      spec: z.object({
        size: z
          .string()
          .regex(/^[1-9][0-9]*Gi$/)
          .describe("For example 10Gi"),
        storageClass: z.string().default("standard"),
        engine: z.enum(["postgres", "mysql"]).default("postgres"),
      }),
      deprecated: "examples.kubewright.dev/v1alpha1 Database is deprecated; use examples.kubewright.dev/v1",
    },
  },
  conversion: "webhook",
});

/** To v1 and back. Nothing may get lost on the way; `roundTripLosses` checks that in a test. */
export const databaseConversion = defineConversion(Database, {
  v1alpha1: {
    up: ({ spec: { size, storageClass, engine } }) => ({
      spec: {
        engine,
        storage: { gigabytes: Number.parseInt(size, 10), className: storageClass },
      },
    }),
    down: ({ spec: { storage, engine } }) => ({
      spec: { engine, size: `${storage.gigabytes}Gi`, storageClass: storage.className },
    }),
  },
});

const databaseController = defineController(Database, {
  owns: [ConfigMap],
  async reconcile({ metadata, spec }, ctx) {
    const data = {
      engine: spec.engine,
      gigabytes: String(spec.storage.gigabytes),
      class: spec.storage.className,
    };
    await ctx.apply(ConfigMap, { metadata: { name: `${metadata.name}-settings` }, data });
  },
});

export default defineManager({
  name: "database",
  controllers: [databaseController],
  webhooks: [databaseConversion],
});
