/** An expression or a policy that is compiled when it is first used. */
export class CompiledOnce<T> {
  readonly #compile: () => T;
  #compiled: T | undefined;

  constructor(compile: () => T) {
    this.#compile = compile;
  }

  get(): T {
    this.#compiled ??= this.#compile();
    return this.#compiled;
  }
}
