/**
 * Whether a host name, as the URL parser writes it, always is this machine: `localhost`, a name below it (RFC 6761), or
 * a loopback address. A name such as `127.example.com` is not.
 */
export function isLoopbackName(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  )
}

/** Whether the host of an address is this machine; false for what is not a URL. */
export function isLoopbackUrl(url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && isLoopbackName(new URL(url).hostname)
}
