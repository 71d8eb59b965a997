// Expressions are compiled when a request first needs them, in turns where that takes long.

import type { Steps } from "@kubewright/api/steps";
import { inTurns, type TurnQueue, Turns } from "../../request/turns.js";

/** What is compiled once, however many requests wait for it. */
export class CompiledOnce<T> {
  readonly #compile: () => Steps<T>;
  #compiled: T | undefined;
  #compilation: Promise<T> | undefined;

  constructor(compile: () => Steps<T>) {
    this.#compile = compile;
  }

  get(queue: TurnQueue): T | Promise<T> {
    if (this.#compiled !== undefined) return this.#compiled;
    this.#compilation ??= inTurns(new Turns(queue), this.#compile()).then((compiled) => {
      this.#compiled = compiled;
      return compiled;
    });
    return this.#compilation;
  }
}
