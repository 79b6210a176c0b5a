// npm writes the builds of a native package for every platform into the lockfile, but leaves out those that the registry
// in use does not have. `npm ci` then refuses the whole lockfile on every machine. The missing entries can be derived: the
// name contains the platform, and the parent names the version.

type Entry = {
  version?: string;
  resolved?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};

export type Lockfile = { packages: Record<string, Entry> };
export type MissingBuild = { name: string; entry: Entry };

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

// Node resolves a package next to its dependent, then one folder up, and so on; the lockfile has the same structure.
function isLocked(lockfile: Lockfile, parent: string, name: string): boolean {
  for (let folder = parent; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in lockfile.packages) return true;
    if (folder === '') return false;
  }
}

function describeBuild(name: string, version: string, dev: boolean): Entry {
  const segments = name.split(/[-/]/);
  const os = systems.filter((system) => segments.includes(system));
  const cpu = processors.filter((processor) => segments.includes(processor));
  const libc = segments.includes('musl')
    ? ['musl']
    : segments.some((segment) => segment.startsWith('gnu'))
      ? ['glibc']
      : [];
  return {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(dev && { dev }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}

export function findMissingBuilds(lockfile: Lockfile): MissingBuild[] {
  return Object.entries(lockfile.packages).flatMap(([parent, { optionalDependencies = {}, dev = false }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isLocked(lockfile, parent, name))
      .map(([name, version]) => ({ name, entry: describeBuild(name, version, dev) })),
  );
}

export function completeLockfile(lockfile: Lockfile): Lockfile {
  const missing = findMissingBuilds(lockfile).map(
    ({ name, entry }) => [`node_modules/${name}`, entry] as const,
  );
  const packages = Object.entries(lockfile.packages).concat(missing.map(([path, entry]) => [path, entry]));
  packages.sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lockfile, packages: Object.fromEntries(packages) };
}
