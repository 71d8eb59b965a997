// A collection read page by page. The server keeps the snapshot a continue token refers to for some minutes only.
import type { KubeList } from "@kubewright/api";
import type { ItemsOptions, ListOptions } from "./options.js";

/** The items of every page. A token that has expired is an error (`isGone`): what is left would be of another moment. */
export async function* pages<T>(
  list: (options: ListOptions) => Promise<KubeList<T>>,
  { pageSize = 500, ...selection }: ItemsOptions,
): AsyncGenerator<T, void, undefined> {
  const first = await list({ ...selection, limit: pageSize });
  yield* first.items;
  // The token carries the version; the server refuses both together.
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = selection;
  let next = first.metadata.continue;
  while (next) {
    const page = await list({ ...rest, limit: pageSize, continue: next });
    yield* page.items;
    next = page.metadata.continue;
  }
}
