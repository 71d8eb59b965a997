// An outside system that Kubernetes cannot clean up. Here it is a folder on disk; it could be a bucket, a DNS record or a user
// of a database.
import { mkdir, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ObjectOf } from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import { conditions, defineResource, immutable, z } from "@kubewright/schema";

export const Bucket = defineResource({
  group: "examples.kubewright.dev",
  version: "v1",
  kind: "Bucket",
  spec: z.object({
    folder: z
      .string()
      .max(40)
      .regex(/^[a-z0-9-]+$/)
      .check(immutable()), // or the old folder would be forgotten
  }),
  status: z.object({ path: z.string().optional(), conditions: conditions() }),
  columns: { Path: ".status.path" },
});
type Bucket = ObjectOf<typeof Bucket>;

/** Where the folders are. */
export const root = join(tmpdir(), "kubewright-buckets");
const pathOf = ({ metadata, spec }: Bucket) => join(root, metadata.namespace ?? "", spec.folder);

const bucketController = defineController(Bucket, {
  /** Runs only once the finalizer is on the object, so nothing is ever made that would not be cleaned up. Safe to repeat. */
  async reconcile(bucket, ctx) {
    await mkdir(pathOf(bucket), { recursive: true });
    ctx.status({
      path: pathOf(bucket),
      conditions: [{ type: "Ready", status: "True", reason: "Created", message: "the folder exists" }],
    });
  },
  /** Runs when the object is being deleted, again and again until it succeeds; then the finalizer is removed. */
  async finalize(bucket, ctx) {
    try {
      await rmdir(pathOf(bucket));
    } catch (error) {
      if (isCode(error, "ENOTEMPTY")) {
        const message = `${pathOf(bucket)} is not empty; move its files elsewhere`;
        ctx.status({ conditions: [{ type: "Ready", status: "False", reason: "NotEmpty", message }] });
        return { requeueAfter: 2_000 }; // nothing notifies us when it becomes empty, so look again
      }
      if (!isCode(error, "ENOENT")) throw error; // gone already: the last attempt may have crashed after this line
    }
    return undefined;
  },
});

const isCode = (error: unknown, code: string) =>
  error instanceof Error && "code" in error && error.code === code;

export default defineManager({ name: "bucket", controllers: [bucketController] });
