// Of several processes that are reached by URL, one at a time writes the configurations that point at them: the holder of the Lease
// `<manager>-webhooks`. The others wait, and the next one takes over when the holder stops or is gone.
import type { LeaderElector } from "../leadership/leader-election.js";
import { untilAborted } from "../leadership/until-aborted.js";
import type { ConfigurationKeeper } from "./configuration-keeper.js";

export interface ConfigurationHolderOptions {
  /** Makes an elector for the lease that reports the holder when it is another. */
  readonly createElector: (onHeld: (holder: string) => void) => LeaderElector;
  readonly createKeeper: () => ConfigurationKeeper;
  /** Another process holds the lease. */
  readonly onHeld: (holder: string) => void;
}

export class ConfigurationHolder {
  readonly #options: ConfigurationHolderOptions;
  #keeper: ConfigurationKeeper | undefined;

  constructor(options: ConfigurationHolderOptions) {
    this.#options = options;
  }

  /** Undefined while another process holds the lease. */
  get keeper(): ConfigurationKeeper | undefined {
    return this.#keeper;
  }

  /** Begins to campaign. `settled` resolves when configurations are written or another holds the lease, `ended` when nothing of it is left. */
  begin(signal: AbortSignal): { readonly settled: Promise<void>; readonly ended: Promise<void> } {
    let ended: Promise<void> = Promise.resolve();
    const settled = new Promise<void>((resolve) => {
      const elector = this.#options.createElector((holder) => {
        this.#options.onHeld(holder);
        resolve();
      });
      ended = this.#hold(elector, signal, resolve).finally(resolve);
    });
    return { settled, ended };
  }

  async #hold(elector: LeaderElector, signal: AbortSignal, onWritten: () => void): Promise<void> {
    while (!signal.aborted) {
      const leadership = await elector.acquire(signal).catch(() => undefined);
      if (!leadership) return;
      const keeper = this.#options.createKeeper();
      await keeper.start();
      this.#keeper = keeper;
      onWritten();
      await untilAborted(AbortSignal.any([signal, leadership.lost]));
      this.#keeper = undefined;
      // After the lease is lost, the configurations are another's.
      await keeper.close({ release: leadership.isOpen });
      await leadership.release();
    }
  }
}
