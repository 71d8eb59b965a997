// Tracks managed fields, with a memory for creates: clients create many objects alike, whose field sets are computed once and shared.
import { flatText, type ManagedFieldsEntry, type TypeInfo } from "@kubewright/api";
import type { TrackUpdateOptions } from "./apply-types.js";
import type { FieldSet } from "./field-set.js";
import { ListItemError } from "./list-item.js";
import { managedFieldsOf } from "./object-managed-fields.js";
import { objectOutline } from "./object-outline.js";
import { SharedFieldSets } from "./shared-field-sets.js";
import { trackUpdate } from "./track-update.js";

/** Outlines remembered per type. */
const limit = 200;
/** How much is remembered in all, in characters; then it begins anew. */
const mostRemembered = 2_000_000;
/** The bytes of an outline besides its text. */
const overhead = 200;

type FieldsV1 = ManagedFieldsEntry["fieldsV1"];
type Tracked = readonly ManagedFieldsEntry[] | undefined;

/** Computes the managedFields of written objects. One per server. */
export class ManagedFieldsTracker {
  #known = new WeakMap<TypeInfo, Map<string, FieldsV1>>();
  #remembered = 0;
  readonly #shared = new SharedFieldSets();
  readonly #print = (fields: FieldSet) => this.#shared.print(fields);

  /** As `trackUpdate`. */
  track(options: TrackUpdateOptions): Tracked {
    const key = keyOf(options);
    if (key === undefined) return trackUpdate(options, this.#print);
    const known = this.#of(options.typeInfo);
    const fields = known.get(key);
    return fields ? [entryOf(options, fields)] : this.#trackFirst(options, known, key);
  }

  #trackFirst(options: TrackUpdateOptions, known: Map<string, FieldsV1>, key: string): Tracked {
    const entries = trackUpdate(options, this.#print);
    const [entry] = entries ?? [];
    if (entry?.fieldsV1 && entries?.length === 1) this.#remember(known, key, entry.fieldsV1);
    return entries;
  }

  #remember(known: Map<string, FieldsV1>, key: string, fields: FieldsV1): void {
    this.#remembered += overhead + key.length;
    if (this.#remembered > mostRemembered) {
      this.#known = new WeakMap();
      this.#remembered = 0;
      return;
    }
    known.set(flatText(key), fields);
    if (known.size <= limit) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      break;
    }
  }

  #of(typeInfo: TypeInfo): Map<string, FieldsV1> {
    let known = this.#known.get(typeInfo);
    if (!known) {
      known = new Map();
      this.#known.set(typeInfo, known);
    }
    return known;
  }
}

/** The key under which creates with the same managed fields are remembered; undefined for other writes, and for large objects. */
function keyOf(options: TrackUpdateOptions): string | undefined {
  const { live, updated, subresource, resetFields } = options;
  if (live || subresource || managedFieldsOf(updated) !== undefined) return undefined;
  const outline = outlineOf(options);
  return outline && resetFields ? `${resetFields.join(",")} ${outline}` : outline;
}

function outlineOf({ updated, typeInfo }: TrackUpdateOptions): string | undefined {
  try {
    return objectOutline(updated, typeInfo);
  } catch (error) {
    if (error instanceof ListItemError) return undefined;
    throw error;
  }
}

const entryOf = (
  { manager, apiVersion, time }: TrackUpdateOptions,
  fieldsV1: FieldsV1,
): ManagedFieldsEntry => ({
  manager: manager || "unknown",
  operation: "Update",
  apiVersion,
  time,
  fieldsType: "FieldsV1",
  fieldsV1,
});
