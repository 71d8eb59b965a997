// What is kept in memory of runs: whose each is, when it was due, and how it stands. There are tens of thousands of them, so
// whatever the runs of a CronTab have in common is there once.
import { deepEqual, deepFreeze, type Job, type ObjectMeta } from "@kubewright/api";
import { missedAnnotation, scheduledAnnotation } from "./runs.js";

/** What the runs of a CronTab have in common. */
type Common = Pick<ObjectMeta, "labels" | "ownerReferences">;

/** A transform for the cache of runs. */
export function rememberRuns(): (job: Job) => Job {
  const families = new Families();
  return ({ metadata = {}, status }) => {
    const { name, namespace, uid, resourceVersion, deletionTimestamp, annotations } = metadata;
    const { labels, ownerReferences } = families.common(metadata);
    return {
      metadata: {
        name,
        namespace,
        uid,
        resourceVersion,
        deletionTimestamp,
        labels,
        annotations: kept(annotations),
        ownerReferences,
      },
      status: outcomeOf(status),
    };
  };
}

function kept(annotations: ObjectMeta["annotations"] = {}): ObjectMeta["annotations"] {
  const scheduled = annotations[scheduledAnnotation] ?? "";
  const missed = annotations[missedAnnotation];
  return missed === undefined
    ? { [scheduledAnnotation]: scheduled }
    : { [scheduledAnnotation]: scheduled, [missedAnnotation]: missed };
}

/** A run under way has nothing to say yet. */
function outcomeOf(status: Job["status"]): Job["status"] {
  const end = status?.conditions?.find(
    (each) => each.status === "True" && (each.type === "Complete" || each.type === "Failed"),
  );
  if (!end) return undefined;
  return { conditions: [{ type: end.type, status: end.status }], completionTime: status?.completionTime };
}

/** As many CronTabs are known as have had runs lately, at most twice this number. */
const generationSize = 16_384;

class Families {
  #recent = new Map<string, Common>();
  #earlier = new Map<string, Common>();

  /** The same for all runs of a CronTab that say the same. */
  common({ labels, ownerReferences }: ObjectMeta): Common {
    const own = { labels, ownerReferences };
    const owner = ownerReferences?.[0]?.uid;
    if (owner === undefined) return own;
    const known = this.#recent.get(owner) ?? this.#earlier.get(owner);
    const common = known && deepEqual(known, own) ? known : deepFreeze(own);
    if (common !== known || !this.#recent.has(owner)) this.#remember(owner, common);
    return common;
  }

  #remember(owner: string, common: Common): void {
    if (this.#recent.size >= generationSize) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(owner, common);
  }
}
