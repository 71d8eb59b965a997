// Logging in to the model: the server's side of SCRAM, with the contents of the key file as the password of other members, and of
// certificates, which name users of $external or are members' own.
import { randomBytes, type X509Certificate } from "node:crypto";
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import {
  isProofValid,
  type Mechanism,
  mechanisms,
  type ScramCredential,
  scramCredential,
  serverSignature,
} from "../client/scram.js";
import { subjectName } from "../client/subject-name.js";
import { system } from "./authorization.js";
import { accepts } from "./cluster-auth.js";
import { type Call, type CommandHandler, iterations } from "./command.js";
import { CommandError } from "./command-error.js";
import { userKey } from "./operations.js";

const failed = (): CommandError => new CommandError(18, "AuthenticationFailed", "Authentication failed.");

const fieldsOf = (message: string): Readonly<Record<string, string>> =>
  Object.fromEntries(message.split(",").map((field) => [field.slice(0, 1), field.slice(2)]));

const payloadOf = (command: Document): string => {
  const payload = command["payload"];
  return payload instanceof BSON.Binary
    ? Buffer.from(payload.buffer).toString("utf8")
    : Buffer.from(payload as Uint8Array).toString("utf8");
};

const payload = (text: string): Document => ({ payload: new BSON.Binary(Buffer.from(text, "utf8")) });

function credentialFor({ mongod }: Call, db: string, user: string, mechanism: Mechanism): ScramCredential {
  const { keyFile } = mongod.options;
  if (
    user === system.user &&
    db === "local" &&
    keyFile !== undefined &&
    accepts(mongod.clusterAuth, "keyFile")
  )
    return scramCredential(mechanism, user, keyFile, randomBytes(16), iterations);
  const credential = mongod.data.users.get(userKey(db, user))?.credentials[mechanism];
  if (!credential) throw failed();
  return credential;
}

function start(call: Call): Document {
  const mechanism = call.command["mechanism"] as Mechanism;
  if (!mechanisms.includes(mechanism))
    throw new CommandError(
      334,
      "MechanismUnavailable",
      `Received authentication for mechanism ${mechanism} which is not enabled`,
    );
  const isInternal = call.db === "local";
  if (!isInternal) checkEnabled(call, mechanism);
  // The header says that the client binds no channel.
  const clientFirst = payloadOf(call.command).replace(/^n,,/, "");
  const { n: name = "", r: clientNonce = "" } = fieldsOf(clientFirst);
  const user = name.replace(/=2C/g, ",").replace(/=3D/g, "=");
  const credential = credentialFor(call, call.db, user, mechanism);
  const nonce = clientNonce + randomBytes(18).toString("base64");
  const serverFirst = `r=${nonce},s=${credential.salt},i=${credential.iterationCount}`;
  call.connection.conversation = {
    user,
    db: call.db,
    mechanism,
    credential,
    nonce,
    clientFirst,
    serverFirst,
  };
  return { conversationId: 1, done: false, ...payload(serverFirst) };
}

function proceed({ connection, command }: Call): Document {
  const { conversation } = connection;
  if (!conversation) throw new CommandError(17, "ProtocolError", "No SASL session state found");
  const text = payloadOf(command);
  // A last empty message, from clients that do not end the exchange with the proof.
  if (text === "") return { conversationId: 1, done: true, ...payload("") };
  const { user, db, mechanism, credential, nonce, clientFirst, serverFirst } = conversation;
  const fields = fieldsOf(text);
  const proof = /,p=([^,]+)$/.exec(text)?.[1] ?? "";
  const authMessage = [clientFirst, serverFirst, text.replace(/,p=[^,]+$/, "")].join(",");
  const isKnown =
    fields["r"] === nonce && isProofValid(mechanism, credential, authMessage, Buffer.from(proof, "base64"));
  if (!isKnown) {
    connection.conversation = undefined;
    throw failed();
  }
  if (user === system.user && db === "local") connection.isSystem = true;
  else connection.logins.add(userKey(db, user));
  return {
    conversationId: 1,
    done: true,
    ...payload(`v=${serverSignature(mechanism, credential, authMessage)}`),
  };
}

/** A client whose certificate names a user of $external, or is a member's. */
function authenticate(call: Call): Document {
  const { connection, command } = call;
  const { certificate } = connection;
  if (command["mechanism"] !== "MONGODB-X509" || certificate === undefined) throw failed();
  const subject = subjectName(certificate);
  const asked = command["user"];
  // A name is optional, and must be that of the certificate.
  if (asked !== undefined && asked !== subject)
    throw new CommandError(
      18,
      "AuthenticationFailed",
      "There is no x.509 client certificate matching the user.",
    );
  return { dbname: "$external", user: loggedIn(call, certificate, subject) };
}

/** Logs the owner of a certificate in; returns who that is. */
export function loggedIn(
  { mongod, connection }: Pick<Call, "mongod" | "connection">,
  certificate: X509Certificate,
  subject = subjectName(certificate),
): string {
  if (mongod.identity?.isMember(certificate)) {
    if (!accepts(mongod.clusterAuth, "x509"))
      throw new CommandError(
        18,
        "AuthenticationFailed",
        "The provided certificate can only be used for cluster authentication, not client authentication. The current configuration does not allow x.509 cluster authentication, check the --clusterAuthMode flag",
      );
    connection.isSystem = true;
    return subject;
  }
  checkEnabled({ mongod }, "MONGODB-X509");
  if (!mongod.data.users.has(userKey("$external", subject)))
    throw new CommandError(11, "UserNotFound", `Could not find user "${subject}" for db "$external"`);
  connection.logins.add(userKey("$external", subject));
  return subject;
}

/** The key file works between members whatever users may log in by. */
export function checkEnabled({ mongod }: Pick<Call, "mongod">, mechanism: string): void {
  const { mechanisms: enabled } = mongod.options;
  if (enabled && !enabled.includes(mechanism))
    throw new CommandError(
      334,
      "MechanismUnavailable",
      `Received authentication for mechanism ${mechanism} which is not enabled`,
    );
}

export const saslCommands: Readonly<Record<string, CommandHandler>> = {
  saslStart: { sort: "open", run: start },
  saslContinue: { sort: "open", run: proceed },
  authenticate: { sort: "open", run: authenticate },
};
