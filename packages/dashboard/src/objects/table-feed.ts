// One table as `kubectl get` prints it, live: the server makes the rows, a watch of the metadata says when to ask for them again, and
// only rows that changed are sent.
import type { Clock, KubeObject, Timer } from "@kubewright/api";
import {
  type Client,
  type DynamicResource,
  metadataOnly,
  type Table,
  type TableRow,
} from "@kubewright/client";
import { Informer } from "@kubewright/runtime";
import type { ColumnInfo, RowInfo, TableUpdate } from "../protocol.js";

/** The least time between two requests for the table, in milliseconds. */
const pause = 300;
/** Rows shown at most; a table of more is cut, and says so. */
const most = 5_000;

export interface TableFeedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly resource: DynamicResource;
  readonly namespace: string | undefined;
  readonly onUpdate: (update: TableUpdate) => void;
}

export class TableFeed {
  readonly #options: TableFeedOptions;
  readonly #informer: Informer<KubeObject>;
  readonly #stop = new AbortController();
  /** The rows last sent, as text, by uid. */
  #sent = new Map<string, string>();
  #columns = "";
  #timer: Timer | undefined;
  #isAsking = false;
  #isStale = false;

  constructor(options: TableFeedOptions) {
    const { client, clock, resource, namespace } = options;
    this.#options = options;
    this.#informer = new Informer<KubeObject>({
      client,
      clock,
      resource: metadataOnly(resource),
      ...(namespace !== undefined && { namespaces: [namespace] }),
      transform: ({ metadata: { name, namespace, uid, resourceVersion } = {} }) => ({
        metadata: { name, namespace, uid, resourceVersion },
      }),
      onError: (error) => this.#fail(error),
    });
    this.#informer.onChange(() => this.#refreshSoon());
  }

  start(): void {
    this.#informer.start();
    this.#refreshSoon();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#timer?.cancel();
    await this.#informer.close();
  }

  #refreshSoon(): void {
    this.#isStale = true;
    if (this.#timer || this.#isAsking || this.#stop.signal.aborted) return;
    const delay = this.#columns === "" ? 0 : pause;
    this.#timer = this.#options.clock.setTimer(delay, () => {
      this.#timer = undefined;
      void this.#refresh();
    });
  }

  async #refresh(): Promise<void> {
    const { client, resource, namespace } = this.#options;
    this.#isAsking = true;
    this.#isStale = false;
    try {
      const { signal } = this.#stop;
      this.#show(await client.table(resource, { namespace, limit: most, signal }));
    } catch (error) {
      this.#fail(error);
    }
    this.#isAsking = false;
    if (this.#isStale) this.#refreshSoon();
  }

  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const problem = error instanceof Error ? error.message : String(error);
    this.#options.onUpdate({ changed: [], removed: [], problem });
  }

  #show({ columnDefinitions, rows, metadata }: Table): void {
    const columns = columnDefinitions.map(columnInfo);
    const isNew = JSON.stringify(columns) !== this.#columns;
    if (isNew) this.#sent.clear();
    this.#columns = JSON.stringify(columns);
    const before = this.#sent;
    this.#sent = new Map();
    const changed: RowInfo[] = [];
    for (const row of rows.map(rowInfo)) {
      const text = JSON.stringify(row);
      this.#sent.set(row.uid, text);
      if (before.get(row.uid) !== text) changed.push(row);
    }
    const removed = [...before.keys()].filter((uid) => !this.#sent.has(uid));
    const problem = metadata?.continue ? `only the first ${most} objects are shown` : undefined;
    this.#options.onUpdate({ ...(isNew && { columns }), changed, removed, problem });
  }
}

const columnInfo = ({
  name,
  type,
  description,
  priority,
}: Table["columnDefinitions"][number]): ColumnInfo => ({
  name,
  type,
  description,
  priority,
});

function rowInfo({ cells, object }: TableRow): RowInfo {
  const { uid = "", name = "", namespace } = object?.metadata ?? {};
  return { uid: uid === "" ? `${namespace}/${name}` : uid, name, namespace, cells };
}
