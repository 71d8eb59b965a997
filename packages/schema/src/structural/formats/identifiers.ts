// Numbers with check digits, colours, UUIDs: formats that are a pattern and perhaps a sum.

const uuidForm = (third: string, fourth: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, "i");

const anyFour = "[0-9a-f]{4}";
const variant = "[89ab][0-9a-f]{3}";

/** The forms of UUIDs, by the name of their format. */
export const uuidPatterns = {
  uuid: uuidForm(anyFour, anyFour),
  uuid3: uuidForm("3[0-9a-f]{3}", anyFour),
  uuid4: uuidForm("4[0-9a-f]{3}", variant),
  uuid5: uuidForm("5[0-9a-f]{3}", variant),
} as const;

const withoutSeparators = (text: string): string => text.replace(/[\s-]+/g, "");

/** Ten digits, the last of which checks the others. */
export function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (digits[i] === "X" ? 10 : Number(digits[i])) * (i + 1);
  return sum % 11 === 0;
}

/** Thirteen digits, the last of which checks the others. */
export function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 13; i++) sum += Number(digits[i]) * (i % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

const cardForms =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11})$/;

/** The forms of the large issuers, with a Luhn check digit; anything but digits is ignored. */
export function isCreditCard(text: string): boolean {
  if (text.length > 256) return false;
  const digits = text.replace(/[^0-9]+/g, "");
  if (!cardForms.test(digits)) return false;
  let sum = 0;
  for (let i = digits.length - 1, double = false; i >= 0; i--, double = !double) {
    const digit = Number(digits[i]) * (double ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

const colourPart = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
/** `rgb(255, 0, 0)`. */
export const rgbColour = new RegExp(`^rgb\\(${colourPart},${colourPart},${colourPart}\\)$`);
/** `#f00` or `#ff0000`. */
export const hexColour = /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
/** `123-45-6789`. */
export const socialSecurityNumber = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/;
/** Twelve bytes in hexadecimal. */
export const objectId = /^[0-9a-fA-F]{24}$/;

/** Standard base64 with padding, not empty. */
export function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

const dnsLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const shortName = new RegExp(`^${dnsLabel}$`);
const longName = new RegExp(`^${dnsLabel}(\\.${dnsLabel})*$`);

/** A lower-case DNS label. */
export const isShortName = (text: string): boolean => text.length <= 63 && shortName.test(text);

/** Lower-case DNS labels with dots between; only the whole is limited. */
export const isLongName = (text: string): boolean => text.length <= 253 && longName.test(text);
