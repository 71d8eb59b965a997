// The timeline as JSON, for dashboards and the command line. Served beside the metrics, and guarded as they are.
import type { Page } from "../metrics/metrics-server.js";
import type { ManagerTimeline } from "./manager-timeline.js";

const most = 1_000;

/**
 * - `/debug/timeline?controller=&key=&limit=`: what reconciles did
 * - `/debug/explain?key=namespace/name&kind=&controller=&limit=`: the history of one object
 * - `/debug/queues?limit=`: what waits
 */
export function timelinePages(timeline: ManagerTimeline): ReadonlyMap<string, Page> {
  return new Map<string, Page>([
    [
      "/debug/timeline",
      (query) => {
        const { controller, key, limit } = asked(query);
        return json({ records: timeline.records({ controller, key, limit }) });
      },
    ],
    [
      "/debug/explain",
      (query) => {
        const { key, ...rest } = asked(query);
        if (key === undefined) return { status: 400, body: "key is needed: ?key=namespace/name\n" };
        return json({ objects: timeline.explain({ key, ...rest }) });
      },
    ],
    ["/debug/queues", (query) => json({ queues: timeline.queues(asked(query).limit) })],
  ]);
}

function asked(query: URLSearchParams) {
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const limit = Number(query.get("limit") || Number.NaN);
  return {
    controller: text("controller"),
    kind: text("kind"),
    key: text("key"),
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, most) : undefined,
  };
}

function json(value: unknown) {
  return { status: 200, contentType: "application/json", body: JSON.stringify(value) };
}
