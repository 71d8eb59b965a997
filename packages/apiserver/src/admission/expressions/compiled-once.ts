import type { TurnQueue } from "../../request/turns.js";

/** What is compiled once, however many requests wait for it. */
export class CompiledOnce<T> {
  readonly #compile: () => T;
  #compiled: T | undefined;
  #compilation: Promise<T> | undefined;

  constructor(compile: () => T) {
    this.#compile = compile;
  }

  get(queue: TurnQueue): T | Promise<T> {
    if (this.#compiled !== undefined) return this.#compiled;
    this.#compilation ??= this.#compile().then((compiled) => {
      this.#compiled = compiled;
      return compiled;
    });
    return this.#compilation;
  }
}
