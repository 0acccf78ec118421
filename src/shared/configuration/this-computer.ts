/** Whether a host is this computer: only there a mail connection may be unencrypted. */
export function isThisComputer(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host.trim())
}
