# Writes the wrappers of an MPI library where there is no Python:
#
#   awk -v folder=OUTPUT_FOLDER -f generate.awk calls.txt PREPROCESSED_MPI_H
#
# calls.txt is what hakaru.run.kit.calls makes of calls.toml. The files are those of generate.py, byte by byte. A call whose
# parameters are not those of the table is only counted, and told. POSIX awk; LC_ALL=C.

function fail(text) {
  print text > "/dev/stderr"
  failed = 1
  exit 2
}

# The name in `int (*f)[]`, `const int ranges[][3]`, `MPI_Comm *comm`: into `word`, with its place in `start`.
function identify(parameter,   matched) {
  word = ""
  if (match(parameter, /\([ ]*[*]*[ ]*[A-Za-z0-9_]+/)) {
    matched = substr(parameter, RSTART, RLENGTH)
    word = matched
    sub(/^\([ ]*[*]*[ ]*/, "", word)
    start = RSTART + RLENGTH - length(word)
  } else if (match(parameter, /[A-Za-z0-9_]+[ ]*(\[[^]]*\][ ]*)*$/)) {
    start = RSTART
    word = substr(parameter, RSTART, RLENGTH)
    sub(/[^A-Za-z0-9_].*$/, "", word)
  }
}

# Parameters of a prototype into `part`; their number.
function split_parameters(text,   i, letter, depth, count, current) {
  count = depth = 0
  current = ""
  for (i = 1; i <= length(text); ++i) {
    letter = substr(text, i, 1)
    if (letter == "(" || letter == "[") ++depth
    if (letter == ")" || letter == "]") --depth
    if (letter == "," && depth == 0) {
      part[++count] = trimmed(current)
      current = ""
    } else
      current = current letter
  }
  part[++count] = trimmed(current)
  return count == 1 && (part[1] == "" || part[1] == "void") ? 0 : count
}

function trimmed(text) {
  gsub(/[ \t\n\r]+/, " ", text)
  gsub(/^ | $/, "", text)
  return text
}

# The parameters of mpi.h by the table's names; "" with `unfit` set when their numbers differ.
function renamed(text, names,   count, i, all, wanted, own, one) {
  count = split_parameters(text)
  unfit = (names == "" ? 0 : split(names, wanted, /, /)) != count
  if (unfit) return ""
  all = count ? "" : "void"
  for (i = 1; i <= count; ++i) {
    one = part[i]
    identify(one)
    own = one ~ /[*]$/ || (start == 1 && one !~ / /)
    one = own ? one " " wanted[i] : substr(one, 1, start - 1) wanted[i] substr(one, start + length(word))
    all = all (i > 1 ? ", " : "") one
  }
  return all
}

# As sub(), with a text in which & and \ mean themselves.
function put(where, place, text,   at, done) {
  done = ""
  while ((at = index(where, place)) > 0) {
    done = done substr(where, 1, at - 1) text
    where = substr(where, at + length(place))
  }
  return done where
}

function counter(name,   count, i, arguments, all) {
  count = split_parameters(parameters[name])
  all = arguments = ""
  for (i = 1; i <= count; ++i) {
    identify(part[i])
    arguments = arguments (i > 1 ? ", " : "") word
    all = all (i > 1 ? ", " : "") part[i]
  }
  if (!count) all = "void"
  return "\nEXPORT " returns[name] " " name "(" all ") {\n  hk_count_uncovered(HK_ID_" name ");\n  return hk_real." name "(" \
    arguments ");\n}\nEXPORT " returns[name] " P" name "(" all ") __attribute__((alias(\"" name "\")));\n"
}

function read_prototype(statement,   at, name, head, inside) {
  while (match(statement, /__attribute__[ \t]*\(\(([^()]|\(([^()]|\([^()]*\))*\))*\)\)/))
    statement = substr(statement, 1, RSTART - 1) " " substr(statement, RSTART + RLENGTH)
  if (!match(statement, /P?MPI_[A-Za-z0-9_]+[ \t]*\(([^(){}]|\([^(){}]*\))*\)[ \t]*$/)) return
  head = substr(statement, 1, RSTART - 1)
  if (head ~ /[A-Za-z0-9_]$/) return
  inside = substr(statement, length(head) + 1)
  at = index(inside, "(")
  name = trimmed(substr(inside, 1, at - 1))
  inside = trimmed(substr(inside, at + 1))
  sub(/\)$/, "", inside)
  sub(/^.*[^A-Za-z0-9_ \t*]/, "", head)
  head = trimmed(head)
  if (head == "" || head ~ /typedef|return/ || head !~ /[A-Za-z_]/ || (name in parameters)) return
  sub(/^extern /, "", head)
  returns[name] = head
  parameters[name] = trimmed(inside)
  order[++declared] = name
}

BEGIN { FS = "\t" }

FILENAME == ARGV[1] && $1 == "local" { local = local (local == "" ? "" : "|") $2; next }
FILENAME == ARGV[1] && $1 == "call" {
  known[$2] = 1
  group[$2] = $3
  operation[$2] = $4
  names[$2] = $5
  body[$2] = $6
  next
}
FILENAME == ARGV[1] { next }
/^#/ { next }
{
  line = $0
  while ((at = index(line, ";")) > 0) {
    read_prototype(pending substr(line, 1, at - 1))
    pending = ""
    line = substr(line, at + 1)
  }
  pending = pending line " "
}

END {
  if (failed) exit 2
  if (!("MPI_Send" in parameters)) fail("this mpi.h declares no MPI functions (is it preprocessed?)")
  for (i = 1; i <= declared; ++i) {
    name = order[i]
    if (name !~ /^MPI_/ || !(("P" name) in parameters)) continue
    entry = name
    if (!(entry in known)) sub(/_c$/, "", entry)
    own = entry in known
    if (!own && name ~ ("^MPI_(" local ")$")) continue
    if (own && body[entry] != "") {
      given = renamed(parameters[name], names[entry])
      if (unfit) {
        print "only counted: " name ", whose parameters are not those of the table" > "/dev/stderr"
        own = 0
      } else
        text[name] = put(put(body[entry], "@NAME@", name), "@PARAMETERS@", given)
    }
    entry_of[name] = own ? entry : ""
    for (at = ++chosen; at > 1 && sorted[at - 1] > name; --at) sorted[at] = sorted[at - 1]
    sorted[at] = name
  }
  real = folder "/real.h"
  source = folder "/wrappers.c"
  print "#ifndef HAKARU_TRACE_REAL_H\n#define HAKARU_TRACE_REAL_H\n#include <mpi.h>" > real
  for (i = 1; i <= chosen; ++i) print "#define HK_ID_" sorted[i] " " (i - 1) "u" > real
  print "/* The library's own functions. */\ntypedef struct {" > real
  for (i = 1; i <= chosen; ++i) print "  __typeof__(&" sorted[i] ") " sorted[i] ";" > real
  print "} hk_functions;\nextern hk_functions hk_real;\n#endif" > real
  printf "%s", "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include \"post.h\"\n#include \"real.h\"\n" > source
  printf "%s", "#define EXPORT __attribute__((visibility(\"default\")))\n#define B(count, type) hk_bytes(count, type)\n" > source
  printf "%s", "hk_functions hk_real;\n\nvoid hk_resolve(void) {\n" > source
  for (i = 1; i <= chosen; ++i)
    printf "  hk_real.%s = (__typeof__(hk_real.%s))dlsym(RTLD_NEXT, \"P%s\");\n", sorted[i], sorted[i], sorted[i] > source
  printf "%s", "}\n\nconst hakaru_raw_call hk_calls[] = {\n" > source
  for (i = 1; i <= chosen; ++i) {
    name = sorted[i]
    entry = entry_of[name]
    printf "  {\"%s\", %d, %d, %d},\n", name, entry == "" ? 2 : 1, entry == "" ? 255 : operation[entry], entry == "" ? 0 : group[entry] > source
  }
  printf "%s", "};\nconst uint32_t hk_call_count = sizeof hk_calls / sizeof *hk_calls;\n" > source
  uncovered = ""
  for (i = 1; i <= chosen; ++i) {
    name = sorted[i]
    if (entry_of[name] == "") {
      printf "%s", counter(name) > source
      ++counted
      uncovered = uncovered (counted > 1 ? ", " : "") name
    } else if (name in text) {
      printf "%s", put(text[name], "@LINE@", "\n") > source
    }
  }
  printf "%d calls covered, %d only counted: %s\n", chosen - counted, counted, uncovered
}
