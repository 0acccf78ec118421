/** Describes a message that is to be sent; urgent ones go first, quiet ones make no sound. */
export function send(to, text, urgent = false, quiet = false) {
  return { to, text, urgent, quiet }
}
