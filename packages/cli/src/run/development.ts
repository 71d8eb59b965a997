// An operator that is replaced whenever its sources are saved, on a cluster that stays. One change is worked on at a time; saves that
// come meanwhile lead to one more. What does not compile, or does not start, leaves what runs alone where it can.
import type { RunningManager } from "@kubewright/runtime";
import { type BuildContext, context } from "esbuild";
import { CompileError, compileErrorOf, outputOf } from "./bundle.js";
import { importProject, loadOptions, type Project } from "./load-project.js";

export interface DevelopmentOptions {
  readonly root: string;
  start(project: Project): Promise<RunningManager>;
  stop(project: Project, manager: RunningManager): Promise<void>;
  onReloaded(project: Project, milliseconds: number): void;
  onProblem(what: string, error: unknown): void;
}

export class Development {
  readonly #options: DevelopmentOptions;
  #context: BuildContext | undefined;
  #running: { readonly project: Project; readonly manager: RunningManager } | undefined;
  #code: string | undefined;
  #work: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #isClosed = false;

  constructor(options: DevelopmentOptions) {
    this.#options = options;
  }

  /** Brings what runs in step with the sources; resolves when that is done or has failed. */
  reload(): Promise<void> {
    if (this.#isWaiting) return this.#work;
    this.#isWaiting = true;
    this.#work = this.#work.then(async () => {
      this.#isWaiting = false;
      if (!this.#isClosed) await this.#replace();
    });
    return this.#work;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
    await this.#stop();
    await this.#context?.dispose();
  }

  async #replace(): Promise<void> {
    const began = performance.now();
    const { root, start, onReloaded, onProblem } = this.#options;
    let stage = "compile";
    try {
      const code = await this.#bundle(root);
      const text = Buffer.from(code).toString("base64");
      if (text === this.#code) return;
      stage = "load";
      const project = await importProject(root, code);
      stage = "start";
      await this.#stop();
      this.#running = { project, manager: await start(project) };
      this.#code = text;
      onReloaded(project, performance.now() - began);
    } catch (error) {
      this.#code = undefined;
      onProblem(error instanceof CompileError ? "compile" : stage, error);
    }
  }

  async #bundle(root: string): Promise<Uint8Array> {
    this.#context ??= await context(loadOptions(root));
    const result = await this.#context.rebuild().catch((error: unknown) => {
      throw compileErrorOf(error);
    });
    return outputOf(result.outputFiles);
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running) await this.#options.stop(running.project, running.manager);
  }
}
