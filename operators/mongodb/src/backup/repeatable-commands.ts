// Commands that are harmless twice, so that they are repeated when the primary changes.
import { majority } from "../client/commands.js";
import { type Document, errorCodes, MongoFailure, type MongoMember } from "../client/mongo-member.js";

export const dropCollection = (primary: MongoMember, db: string, collection: string): Promise<void> =>
  unless(errorCodes.namespaceNotFound, primary.command(db, { drop: collection, writeConcern: majority }));

export const createCollection = (
  primary: MongoMember,
  db: string,
  collection: string,
  options: Document = {},
): Promise<void> =>
  unless(
    errorCodes.namespaceExists,
    primary.command(db, { create: collection, ...options, writeConcern: majority }),
  );

/** Resolves where the command fails with this code: what it asks for is so already. */
async function unless(code: number, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof MongoFailure) || error.code !== code) throw error;
  }
}
