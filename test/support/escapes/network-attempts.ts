import { python, type EscapeAttempt } from './attempt'

const CONNECT = python(`port = int(env['PORT'])
for family, address in ((socket.AF_INET, ('127.0.0.1', port)), (socket.AF_INET6, ('::1', port)), (socket.AF_INET, ('127.0.0.2', port)), (socket.AF_INET, (env['ADDRESS'], port)), (socket.AF_INET, ('169.254.169.254', 80))):
    def connect():
        s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(0.5); s.connect(address); s.send(b'x'); return 'CONNECTED'
    attempt(connect, address)`)
const UNIX =
  python(`for path in (env['SOCKET'], '\\0' + env['ABSTRACT'], env['PROJECT'] + '/server.sock', '/proc/self/root' + env['SOCKET'], '/run/docker.sock', '/var/run/docker.sock', '/run/dbus/system_bus_socket', '/tmp/.X11-unix/X0', '\\0/tmp/.X11-unix/X0'):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        def connect():
            s = socket.socket(socket.AF_UNIX, kind); s.settimeout(0.5); s.connect(path); s.send(b'x'); return 'CONNECTED'
        attempt(connect, repr(path))`)
const proxied = (lines: string): string =>
  python(`def ask(port, data, more=b''):
    s = socket.socket(); s.settimeout(2); s.connect(('127.0.0.1', port)); s.send(data)
    answer = s.recv(300)
    if more: s.send(more); answer += s.recv(300)
    return answer
P = env['PORT']
${lines}`)

/** Attempts to connect, for every network setting, to servers outside. */
export const NETWORK_ATTEMPTS: readonly EscapeAttempt[] = [
  { name: 'connects with no network', command: CONNECT },
  { name: 'connects at Read-only', level: 'read-only', command: `${CONNECT}\n${UNIX}` },
  { name: 'connects past the proxy', network: 'listed', command: CONNECT },
  {
    name: 'connects with bash',
    command:
      'for h in 127.0.0.1 localhost "$ADDRESS"; do echo x >/dev/tcp/$h/$PORT; echo x >/dev/udp/$h/$PORT; ' +
      'done; curl -s -m 1 "http://127.0.0.1:$PORT"; wget -q -T 1 -O- "http://localhost:$PORT"; true',
  },
  { name: 'connects to unix sockets outside', command: UNIX },
  { name: 'connects to unix sockets outside with listed hosts', network: 'listed', command: UNIX },
  { name: 'connects to unix sockets outside with an open network', network: 'open', command: UNIX },
  {
    name: 'passes a pair of sockets on to a name with an open network',
    network: 'open',
    command: python(`for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
    def connect():
        a, b = socket.socketpair(socket.AF_UNIX, kind); a.connect('\\0' + env['ABSTRACT']); a.send(b'x'); return 'CONNECTED'
    attempt(connect)
    def sendto():
        a, b = socket.socketpair(socket.AF_UNIX, kind); a.sendto(b'x', env['SOCKET']); return 'SENT'
    attempt(sendto)`),
  },
  {
    name: 'connects to a socket that a link in the project names',
    before: 'ln -s "$SOCKET" alias.sock',
    command: UNIX.replaceAll('server.sock', 'alias.sock'),
  },
  {
    name: 'asks a name server',
    command: python(`import os
attempt(lambda: socket.getaddrinfo('secret.example.com', 80))
for server in ('127.0.0.53', '8.8.8.8', '1.1.1.1'):
    def ask():
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(0.5); s.sendto(b'\\0' * 12, (server, 53)); return s.recv(100)
    attempt(ask, server)
for path in ('/run/systemd/resolve/io.systemd.Resolve', '/run/nscd/socket', '/var/run/nscd/socket'):
    def ask():
        s = socket.socket(socket.AF_UNIX); s.connect(path); return 'CONNECTED'
    attempt(ask, path)`),
  },
  {
    name: 'has the proxy connect to this machine',
    network: 'listed',
    command:
      proxied(`for host in ('127.0.0.1', 'localhost', '[::1]', '0x7f000001', '127.1', '2130706433', '0', '[::ffff:127.0.0.1]', 'localhost.', 'LOCALHOST', env['ADDRESS'], '169.254.169.254'):
    attempt(lambda: ask(3128, f'CONNECT {host}:{P} HTTP/1.1\\r\\nHost: {host}:{P}\\r\\n\\r\\n'.encode()), host)
    attempt(lambda: ask(3128, f'GET http://{host}:{P}/ HTTP/1.1\\r\\nHost: {host}:{P}\\r\\n\\r\\n'.encode()), host)`),
  },
  {
    name: 'smuggles a host past the proxy',
    network: 'listed',
    command: proxied(`allowed = 'localhost:' + env['ALLOWED']
for request in (f'GET http://{allowed}/ HTTP/1.1\\r\\nHost: 127.0.0.1:{P}\\r\\n\\r\\n', f'CONNECT {allowed}@127.0.0.1:{P} HTTP/1.1\\r\\n\\r\\n', f'GET http://{allowed}@127.0.0.1:{P}/ HTTP/1.1\\r\\n\\r\\n', f'GET http://{allowed}/ HTTP/1.1\\r\\nHost: {allowed}\\r\\nContent-Length: 0\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nCONNECT 127.0.0.1:{P} HTTP/1.1\\r\\n\\r\\n', f'CONNECT {allowed} HTTP/1.1\\r\\nHost: 127.0.0.1:{P}\\r\\n\\r\\nCONNECT 127.0.0.1:{P} HTTP/1.1\\r\\n\\r\\n', f'CONNECT 127.0.0.1:{P}#{allowed} HTTP/1.1\\r\\n\\r\\n', f'GET http://127.0.0.1:{P}\\\\{allowed}/ HTTP/1.1\\r\\n\\r\\n'):
    attempt(lambda: ask(3128, request.encode()), request[:40])`),
  },
  {
    name: 'uses the SOCKS proxy with addresses',
    network: 'listed',
    command: proxied(`port = struct.pack('!H', int(P))
for target in (b'\\x01\\x7f\\0\\0\\1', b'\\x03\\x09localhost', b'\\x03\\x09127.0.0.1', b'\\x04' + bytes(15) + b'\\1', b'\\x04' + bytes(10) + b'\\xff\\xff\\x7f\\0\\0\\1', b'\\x01\\0\\0\\0\\0'):
    for command in (b'\\1', b'\\2', b'\\3'):
        attempt(lambda: ask(1080, b'\\5\\1\\0', b'\\5' + command + b'\\0' + target + port))
attempt(lambda: ask(1080, b'\\4\\1' + port + b'\\x7f\\0\\0\\1x\\0'))
attempt(lambda: ask(1080, b'\\4\\1' + port + b'\\0\\0\\0\\1x\\0localhost\\0'))`),
  },
  {
    name: 'connects from no network to the proxy of listed hosts',
    command: proxied(`for port in (3128, 1080):
    attempt(lambda: ask(port, f'CONNECT localhost:{P} HTTP/1.1\\r\\n\\r\\n'.encode()))
import glob
for path in glob.glob('/tmp/trestle-*/*') + glob.glob('/proc/*/root/tmp/trestle-*/*'):
    attempt(lambda: socket.socket(socket.AF_UNIX).connect(path), path)`),
  },
  {
    name: 'replaces the forwarder',
    endsItself: true,
    network: 'listed',
    command: `pkill socat; kill $(pgrep -f [T]CP-LISTEN); kill $(pgrep -f [c]reateServer); sleep 0.1; ( setsid /usr/bin/python3 -c "
import socket, time
for port in (3128, 1080):
    try:
        s = socket.socket(); s.setsockopt(1, 2, 1); s.bind(('127.0.0.1', port)); s.listen()
    except OSError as error: print(error)
time.sleep(1)" & ) </dev/null >/dev/null 2>&1`,
    next: ['curl -s -m 1 -x http://127.0.0.1:3128 "http://127.0.0.1:$PORT/"; true'],
  },
  {
    name: 'sees devices of the network',
    command:
      'cat /proc/net/dev /proc/net/route; ip addr add 10.0.0.1/8 dev lo; ' +
      'ip link add veth0 type veth; ip route add default dev lo; ip link; true',
  },
  {
    name: 'listens for other programs of this machine',
    network: 'open',
    command: python(`s = socket.socket(socket.AF_INET6 if False else socket.AF_INET)
attempt(lambda: s.bind(('127.0.0.1', int(env['PORT']))))
attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3))`),
  },
]
