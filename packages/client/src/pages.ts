// A collection read page by page. The server keeps the snapshot a continue token refers to for some minutes only; after
// that it refuses the token, and gives another that goes on from the same place in today's state.
import { ApiError, isGone, type KubeList } from "@kubewright/api";
import type { ItemsOptions, ListOptions } from "./options.js";

/** The items of every page. */
export async function* pages<T>(
  list: (options: ListOptions) => Promise<KubeList<T>>,
  { pageSize = 500, consistent = false, ...selection }: ItemsOptions,
): AsyncGenerator<T, void, undefined> {
  const first = await list({ ...selection, limit: pageSize });
  yield* first.items;
  // The token carries the version; the server refuses both together.
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = selection;
  let next = first.metadata.continue;
  while (next) {
    const page = await followingPage(list, { ...rest, limit: pageSize, continue: next }, consistent);
    yield* page.items;
    next = page.metadata.continue;
  }
}

async function followingPage<T>(
  list: (options: ListOptions) => Promise<KubeList<T>>,
  options: ListOptions,
  consistent: boolean,
): Promise<KubeList<T>> {
  try {
    return await list(options);
  } catch (error) {
    const token = consistent ? undefined : freshToken(error);
    if (token === undefined) throw error;
    return list({ ...options, continue: token });
  }
}

function freshToken(error: unknown): string | undefined {
  return error instanceof ApiError && isGone(error) ? error.continueToken : undefined;
}
