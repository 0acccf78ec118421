import { python, type EscapeAttempt } from './attempt'

/** Switches a symbolic link between two targets, as a race against a program that checks first and opens later. */
const flip = (link: string, first: string, second: string): string =>
  `( for i in $(seq 60); do ln -sfn ${first} ${link}; ln -sfn ${second} ${link}; done ) & `

/** Attempts on files outside, secrets inside, and protected names. */
export const FILE_ATTEMPTS: readonly EscapeAttempt[] = [
  {
    name: 'writes to a file outside',
    command: 'echo x >"$OUTSIDE/new"; echo x >>"$OUTSIDE/canary"; rm -f "$OUTSIDE/canary"; : >"$OTHER/source.txt"',
  },
  {
    name: 'writes to the project at Read-only',
    level: 'read-only',
    command: 'echo x >new; rm -rf src; chmod 777 src; touch src; mv src moved; echo x >>src/main.txt',
  },
  {
    name: 'goes up with ..',
    command: 'echo x >../outside/new; cat ../outside/canary ../other/secret.txt; cd ../outside && rm canary',
  },
  {
    name: 'goes through a link and ..',
    command:
      'ln -s "$OUTSIDE" link; echo x >link/new; cat link/canary; ' +
      'cat link/../other/secret.txt; echo x >link/../other/source.txt',
  },
  {
    name: 'goes through /proc/self/root',
    command:
      'cat "/proc/self/root$OUTSIDE/canary"; echo x >"/proc/self/root$OUTSIDE/new"; ' +
      'ln -s "/proc/self/root$OTHER" l; cat l/secret.txt',
  },
  {
    name: 'goes through /proc/PID/root of every process',
    command:
      'for p in /proc/[0-9]*; do cat "$p/root$OUTSIDE/canary" "$p/root$OTHER/secret.txt" ' +
      '"$p/root$HOME/.ssh/id_rsa"; echo x >"$p/root$OUTSIDE/new"; done',
  },
  {
    name: 'goes through /proc/PID/cwd of every process',
    command:
      'for p in /proc/[0-9]*; do cat "$p/cwd$OUTSIDE/canary" "$p/cwd/../../$OTHER/secret.txt"; ls -la "$p/cwd/"; done',
  },
  {
    name: 'goes through open files of every process',
    command:
      'for f in /proc/[0-9]*/fd/*; do ls -l "$f"; ' +
      'cat "$f/../canary" "$f/$OUTSIDE/canary" </dev/null; done 2>&1 | tail -n 50',
  },
  {
    name: 'reads keys in the home',
    command: 'cat ~/.ssh/id_rsa ~/.aws/credentials ~/.netrc ~/.bash_history; find ~ -type f -exec cat {} +',
  },
  {
    name: 'reads keys in the home at Read-only',
    level: 'read-only',
    command: 'cat ~/.ssh/id_rsa ~/.aws/credentials ~/.netrc; grep -r SECRET ~ "$PROJECT" "$OUTSIDE"',
  },
  {
    name: 'writes start-up files of the home',
    command:
      'echo x >>~/.bashrc; echo x >~/.bash_profile; mkdir -p ~/.config/autostart ~/.local/bin; ' +
      'echo x >~/.config/autostart/x.desktop; echo x >~/.local/bin/ls',
  },
  {
    name: "reads and writes Trestle's own folder",
    command:
      'cat "$TRESTLE/config.toml"; ls -laR "$TRESTLE"; ' +
      'echo x >"$TRESTLE/config.toml"; echo x >"$TRESTLE/new"; rm -rf "$TRESTLE"',
  },
  {
    name: "reads Trestle's own folder through the temporary folder",
    command:
      'ls -la /tmp/.. /tmp/../..; cat /tmp/../../../config.toml; cd /tmp && cat ../../../config.toml; cd -P .. ' +
      '&& cat config.toml ../config.toml',
  },
  {
    name: 'reads another project',
    command: 'cat "$OTHER/secret.txt" "$OTHER/.env"; ls -la "$OTHER"; tar cf - "$OTHER" | wc -c',
  },
  {
    name: 'reads .env in every way',
    command:
      'cat .env sub/.env; cp .env copied; head -c 99 <.env; dd if=.env; tar cf - .env sub; grep -r . ' +
      '.env; git show :.env; python3 -c "print(open(\'.env\').read())"',
  },
  {
    name: 'reads .env at Read-only',
    level: 'read-only',
    command: 'cat .env sub/.env id_rsa; tar cf - . | grep -a SECRET; true',
  },
  {
    name: 'changes the permissions of .env',
    command:
      'chmod 777 .env sub/.env id_rsa; cat .env sub/.env id_rsa; ' +
      'chown "$(id -u)" .env; setfacl -m u::rwx .env; cat .env',
  },
  {
    name: 'makes a hard link to .env',
    command:
      'ln .env linked; cp -l sub/.env linked2; ln sub/.env sub/other; cat linked linked2 sub/other; echo x >linked',
  },
  {
    name: 'makes a hard link to a file outside',
    command:
      'ln "$OUTSIDE/canary" linked; ln -L ../outside/canary linked2; ' +
      'ln /proc/self/root"$OTHER"/secret.txt l3; cat linked linked2 l3; echo x >>linked',
  },
  {
    name: 'moves .env away',
    command: 'mv .env moved; mv -f id_rsa key; cat moved key; rm -f .env; unlink .env; echo x >.env',
  },
  {
    name: 'moves the folder of an .env',
    command: 'mv sub moved; cat moved/.env; mkdir sub; cp -r moved/. sub/; cat sub/.env',
    next: ['cat moved/.env sub/.env'],
  },
  {
    name: 'exchanges .env with another file',
    command: python(`open('mine', 'w').write('x')
for path in [b'.env', b'sub/.env', b'.git/config', b'.mcp.json']:
    print(libc.syscall(316, -100, b'mine', -100, path, 2), ctypes.get_errno())
attempt(lambda: open('mine').read())
attempt(lambda: os.replace('mine', '.env'))`),
  },
  {
    name: 'takes the mask off .env',
    command:
      'umount .env; umount -l .env; mount --move .env /tmp/x; ' +
      'mount -o remount,rw .env; mount --bind /tmp .git/hooks; cat .env',
  },
  {
    name: 'has .env read by another program',
    command:
      'git hash-object -w .env; git add -f .env; git diff --no-index /dev/null .env; diff .env /dev/null; ' +
      "base64 .env; xxd .env; perl -pe 1 .env; node -p \"require('fs').readFileSync('.env','utf8')\"; " +
      'curl -s "file://$PROJECT/.env"; . ./.env; set | grep SECRET',
  },
  {
    name: 'makes protected names',
    command:
      'for n in .mcp.json .trestle .vscode .husky; do rm -rf $n; mv $n away-$n; echo x >$n; mkdir $n; ' +
      'echo x >$n/settings.json; ln -s /tmp $n; done; mkdir -p .trestle && echo x >.trestle/config.toml',
  },
  {
    name: 'makes protected names in a plain folder',
    kind: 'plain',
    command:
      'for n in .mcp.json .trestle .vscode .husky .git; do rm -rf $n; rmdir $n; mv $n away-$n; ' +
      'echo x >$n; mkdir -p $n/hooks; echo x >$n/hooks/pre-commit; echo x >$n/config; done',
  },
  {
    name: 'creates a missing .env',
    kind: 'plain',
    command: 'rmdir .env; echo x >.env; mkdir .env; echo x >.env/x; mv src .env; ln -s src .env',
  },
  {
    name: 'changes what is in .vscode and .husky',
    before:
      'mkdir -p .vscode .husky deep/.vscode; echo safe >.vscode/tasks.json; ' +
      'echo safe >.husky/pre-commit; echo safe >deep/.vscode/tasks.json',
    command:
      'echo x >.vscode/tasks.json; echo x >.vscode/new.json; echo x >>.husky/pre-commit; ' +
      'mv .vscode v; rm -rf .husky; echo x >deep/.vscode/tasks.json; cp -r .vscode v2 && mv v2 .vscode',
  },
  {
    name: 'turns a link in a race while writing',
    command:
      `mkdir -p in; ${flip('race', 'in', '$OUTSIDE')} for i in $(seq 60); ` +
      'do echo x >race/new; cat race/canary; done 2>/dev/null; wait',
  },
  {
    name: 'turns a folder into a link in a race',
    command:
      'mkdir -p a/in b; ( for i in $(seq 60); do mv a/in a/x; ln -s "$OTHER" a/in; rm a/in; mv a/x a/in; done ) ' +
      '2>/dev/null & for i in $(seq 60); do cat a/in/secret.txt; echo x >a/in/source.txt; done 2>/dev/null; wait',
  },
  {
    name: 'puts a link in the place of a guarded folder while a sandbox starts',
    command: `mkdir -p a/.trestle; ( setsid /usr/bin/python3 - <<'PROGRAM' &
import os, ctypes, time
libc = ctypes.CDLL(None)
os.symlink(os.path.relpath(os.environ['HOME'], os.getcwd()), 'b')
end = time.time() + 4
while time.time() < end:
    libc.syscall(316, -100, b'a', -100, b'b', 2)
PROGRAM
) >/dev/null 2>&1 </dev/null`,
    next: Array.from({ length: 8 }, () => 'cat "$TRESTLE/config.toml" ~/.trestle/config.toml; ls "$HOME/.trestle"'),
  },
  {
    name: 'puts a link to another repository in the place of one while a sandbox starts',
    command: `mkdir -p a/.git; git init -q a; ( setsid /usr/bin/python3 - <<'PROGRAM' &
import os, ctypes, time
libc = ctypes.CDLL(None)
os.symlink('../other', 'b')
end = time.time() + 4
while time.time() < end:
    libc.syscall(316, -100, b'a', -100, b'b', 2)
PROGRAM
) >/dev/null 2>&1 </dev/null`,
    next: Array.from({ length: 8 }, () => 'cat "$OTHER/.git/config"; echo x >"$OTHER/.git/hooks/pre-commit"'),
  },
  {
    name: 'moves an .env about while a sandbox starts',
    command: `( setsid /usr/bin/python3 - <<'PROGRAM' &
import os, time
end = time.time() + 3
while time.time() < end:
    for a, b in [('sub', 'moved'), ('moved', 'sub')]:
        try: os.rename(a, b)
        except OSError: pass
        time.sleep(0.003)
PROGRAM
) >/dev/null 2>&1 </dev/null`,
    next: Array.from(
      { length: 8 },
      () => 'for i in 1 2 3 4 5 6 7 8; do cat sub/.env moved/.env; done 2>/dev/null; true',
    ),
  },
  {
    name: 'moves a folder with an .env into a folder that is not searched',
    command: 'mkdir -p node_modules site-packages; mv sub node_modules/ || mv sub site-packages/',
    next: ['cat node_modules/sub/.env site-packages/sub/.env'],
  },
  {
    name: 'moves a folder with a repository into a folder that is not searched',
    before: 'git init -q lib; echo x >lib/file; git -C lib add file',
    command: 'mkdir node_modules; mv lib node_modules/',
    next: [
      'cd node_modules/lib; printf "#!/bin/sh\\ntouch \\"$PROJECT/.escaped\\"\\n" >.git/hooks/pre-commit; ' +
        'chmod +x .git/hooks/pre-commit; git config core.fsmonitor "touch $PROJECT/.escaped-2"',
    ],
    after: 'cd node_modules/lib && git status && git commit -qm x',
  },
  {
    name: 'removes the link that says that a file is a secret',
    before: 'mkdir -p conf deep; mv sub/.env conf/values; ln -s ../conf/values deep/.env',
    command: 'cat deep/.env; rm -f deep/.env',
    next: ['cat conf/values; mv conf c2', 'cat c2/values conf/values'],
  },
  {
    name: 'puts another folder in the place of the one with the workflows',
    before: 'mkdir -p .github/workflows; echo safe >.github/workflows/ci.yml',
    command: 'mv .github g; mkdir -p .github/workflows; echo x >.github/workflows/ci.yml',
    next: ['mv .github g2; mkdir -p .github/workflows; echo x >.github/workflows/ci.yml; rm -rf .github'],
  },
  {
    name: 'changes what shells and editors load from the cache',
    before:
      'mkdir -p ~/.cache/nvim ~/.cache/node/corepack; ' +
      'for f in p10k-instant-prompt-x.zsh nvim/a.lua node/corepack/pnpm; do echo safe >~/.cache/$f; done',
    command:
      'cd ~/.cache; for f in p10k-instant-prompt-x.zsh nvim/a.lua node/corepack/pnpm; do echo x >>$f; mv $f away; ' +
      'echo x >$f; done; mv nvim n; rm -rf nvim; mv node m; mkdir -p nvim node/corepack; echo x >nvim/a.lua; ' +
      'echo x >node/corepack/pnpm',
    after:
      'cd ~/.cache; for f in p10k-instant-prompt-x.zsh nvim/a.lua node/corepack/pnpm; do ' +
      '[ "$(cat $f)" = safe ] || touch "$OUTSIDE/pwned"; done',
  },
  {
    name: 'plants a package that npx would run',
    before: 'mkdir -p ~/.npm/_npx/a; echo safe >~/.npm/_npx/a/run',
    command:
      'mkdir -p ~/.npm/_npx/b; echo x >~/.npm/_npx/b/run; echo x >~/.npm/_npx/a/run; mv ~/.npm/_npx ~/.npm/n; ' +
      'mkdir -p ~/.npm/_npx/b; echo x >~/.npm/_npx/b/run',
    next: ['cat ~/.npm/_npx/b/run; echo still works; mkdir -p ~/.npm/_npx/c; echo x >~/.npm/_npx/c/run'],
    after: 'cd ~/.npm/_npx && [ "$(cat a/run)" = safe ] && [ ! -e b ] && [ ! -e c ] || touch "$OUTSIDE/pwned"',
  },
  {
    name: 'writes to caches that are not listed',
    command:
      'for f in .cargo .gradle .m2 .local/share .config .pip; do mkdir -p ~/$f; echo x >~/$f/new; done; echo x >~/new',
  },
  {
    name: 'leaves a listed cache through a link',
    command:
      'ln -s ../.ssh ~/.cache/l; cat ~/.cache/l/id_rsa; echo x >~/.cache/l/new; ' +
      'ln -s "$OUTSIDE" ~/.cache/o; echo x >~/.cache/o/new',
  },
  {
    name: 'makes a listed cache a link for the next sandbox',
    command: 'mv ~/.cache ~/.c2; rm -rf ~/.cache; ln -s "$OUTSIDE" ~/.cache',
    next: ['echo x >~/.cache/new; cat ~/.cache/canary'],
  },
  {
    name: 'makes a folder in a listed cache a link for the next sandbox',
    command:
      'mkdir -p ~/.cache/google-chrome; rm -rf ~/.cache/google-chrome; ' +
      'ln -s ../.ssh ~/.cache/google-chrome; ln -s "$OUTSIDE" ~/.cache/pip',
    next: ['cat ~/.cache/google-chrome/id_rsa ~/.ssh/id_rsa; echo x >~/.cache/pip/new'],
  },
  {
    name: 'makes links in the temporary folder for the next sandbox',
    command: 'rm -rf /tmp/*; ln -s "$OUTSIDE" /tmp/o; ln -s / /tmp/trestle; mv /tmp/escape* /tmp/moved',
    next: ['echo x >/tmp/o/new; cat /tmp/o/canary /tmp/trestle/etc/shadow'],
  },
  {
    name: 'opens files by handle',
    command: python(`buf = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128))
mid = ctypes.c_int()
fd = os.open('.', os.O_RDONLY)
print('name', libc.name_to_handle_at(-100, b'/', buf, ctypes.byref(mid), 0), ctypes.get_errno())
got = libc.open_by_handle_at(fd, buf, os.O_RDONLY)
print('open', got, ctypes.get_errno())
if got >= 0: print(os.listdir(got))`),
  },
  {
    name: 'makes device nodes',
    isHarmful: true,
    command:
      'mknod disk b 8 0; mknod mem c 1 1; mknod kmsg c 1 11; for d in disk mem kmsg; do head -c 16 $d; ' +
      'done; mknod /dev/sda b 8 0; ls -la /dev; cat /dev/mem /dev/kmsg /dev/port | head -c 16',
  },
  {
    name: 'mounts and mounts over',
    isHarmful: true,
    command:
      'mount --bind / /tmp; mount -t tmpfs x src; mount -o remount,rw /; mount -o remount,bind,rw /usr; ' +
      'mount -t proc p /proc; mount -t overlay o -o lowerdir=/,upperdir=/tmp,workdir=/tmp src; ' +
      'umount -l /tmp; pivot_root . src; fusermount -u .env',
  },
  {
    name: 'mounts with the newer system calls',
    isHarmful: true,
    command:
      python(`for number, args in [(428, (-100, b'/', 1)), (430, (b'tmpfs', 0)), (429, (-100, b'/', -100, b'/tmp', 0)), (442, (-100, b'/', 0, 0, 0)), (433, (-100, b'/', 0)), (467, (-100, b'/', 1, 0, 0))]:
    print(number, libc.syscall(number, *args), ctypes.get_errno())
print(libc.mount(b'/', b'/tmp', None, 4096, None), libc.umount2(env['PROJECT'].encode() + b'/.env', 2), libc.chroot(b'/tmp'))
attempt(lambda: open('.env').read())`),
  },
  {
    name: 'changes system files',
    isHarmful: true,
    command:
      'echo x >>/etc/passwd; echo x >/usr/bin/new; echo x >/usr/local/bin/new; ' +
      'echo x >/etc/cron.d/new; rm -f /etc/hostname; touch /new /opt/new /var/new /run/new',
  },
  {
    name: 'reads secrets of the system',
    command: 'cat /etc/shadow /etc/sudoers /etc/gshadow; cat /etc/ssh/ssh_host_*_key; ls /root /home /var/lib /run',
  },
  {
    name: 'hides a .env behind an old time of its folder',
    command: 'true',
    before: 'mkdir -p deep; touch -d 2001-01-01 deep',
    between: 'cp .env deep/.env; touch -d 2001-01-01 deep',
    next: ['cat deep/.env; true'],
  },
]
