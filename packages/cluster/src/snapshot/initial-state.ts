// Where the state of a new cluster comes from: nowhere, a snapshot, or a data directory that is kept up to date from then on.
import { DataDirectory } from "./data-directory.js";
import { readSnapshot, type Snapshot } from "./snapshot-file.js";

export interface InitialState {
  readonly directory: DataDirectory | undefined;
  readonly contents: Snapshot | undefined;
}

export function initialState(options: {
  readonly restore?: string | undefined;
  readonly dataDir?: string | undefined;
}): InitialState {
  const { restore, dataDir } = options;
  const directory = dataDir === undefined ? undefined : DataDirectory.open(dataDir);
  const saved = directory?.read();
  if (restore === undefined) return { directory, contents: saved };
  try {
    if (saved)
      throw new Error(`the data directory ${dataDir} has a state already; restore into an empty one`);
    return { directory, contents: readSnapshot(restore) };
  } catch (error) {
    directory?.release();
    throw error;
  }
}
