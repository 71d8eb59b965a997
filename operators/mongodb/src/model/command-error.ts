/** An answer of the model that is not ok. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: number;
  readonly codeName: string;

  constructor(code: number, codeName: string, message: string) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }
}

export const unauthorized = (message: string): CommandError => new CommandError(13, "Unauthorized", message);
export const badValue = (message: string): CommandError => new CommandError(2, "BadValue", message);
export const notPrimary = (message = "not primary"): CommandError =>
  new CommandError(10107, "NotWritablePrimary", message);
