-- What a chapter may hold, whatever the model or the author wrote. BOOK_JSON names a file with
-- `images` (path in the project -> file in the staging folder).
local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return pandoc.json.decode(text, false)
end
local book = read(os.getenv("BOOK_JSON"))

-- HTML never reaches a book as such: <br> becomes a line break, other tags go, their text stays.
local function raw_inline(el)
  if el.format:match("html") and el.text:match("^<[bB][rR]%s*/?>$") then return pandoc.LineBreak() end
  return {}
end

-- A block of HTML: comments and tags go, what stood between them is read as Markdown.
local function raw_block(el)
  if el.text:match("^<[hH][rR]%s*/?>%s*$") then return pandoc.HorizontalRule() end
  local words = el.text:gsub("<!%-%-.-%-%->", ""):gsub("</?%a[^<>]*>", ""):gsub("\n[ \t]+", "\n")
  local read = pandoc.read(words:gsub("^%s+", ""), "commonmark-raw_html")
  -- A tag inside of a tag has become one, and <?...?> is none: pandoc still reads both as HTML.
  return read:walk({ RawBlock = function() return {} end, RawInline = raw_inline }).blocks
end

-- A character reference such as &#x1F; brings in what the prepass has taken out of the text.
local function text(el)
  if not el.text:find("[%z\1-\31\127\194\226\239]") then return nil end
  local clean = el.text:gsub("[%z\1-\8\11-\31\127]", ""):gsub("\194[\128-\159]", "")
  clean = clean:gsub("\226\128[\139\170-\174]", ""):gsub("\226\129[\166-\169]", "")
  el.text = clean:gsub("\239\191[\190\191]", ""):gsub("\239\187\191", "")
  return el
end

local function quoted(text)
  return '"' .. text:gsub("\\", "\\\\"):gsub('"', '\\"'):gsub("%c", " ") .. '"'
end

-- Aozora Bunko's notation of readings: characters of Chinese origin, or anything behind a bar, with
-- kana alone in double angle brackets behind them.
local bar, opening, closing = 0xFF5C, 0x300A, 0x300B
local function is_kana(c) return c >= 0x3041 and c <= 0x30FF end
local function is_han(c)
  return c >= 0x3400 and c <= 0x9FFF or c >= 0xF900 and c <= 0xFAFF or c >= 0x20000 and c <= 0x3FFFF
    or c == 0x3005 or c == 0x3006 or c == 0x30F6
end
local function reading_ends(codes, at)
  for n = at + 1, math.min(#codes, at + 41) do
    if codes[n] == closing then return n > at + 1 and n or nil end
    if not is_kana(codes[n]) then return nil end
  end
end
local function base_begins(codes, from, at)
  for n = at - 1, math.max(from, at - 41), -1 do
    if codes[n] == bar or codes[n] == 0x7C then return n < at - 1 and n + 1 or nil, n end
  end
  local n = at
  while n > from and is_han(codes[n - 1]) do n = n - 1 end
  return n < at and n or nil, n
end
local function readings(el)
  if not el.text:find("\u{300A}", 1, true) then return nil end
  local codes, found, from = { utf8.codepoint(el.text, 1, -1) }, pandoc.Inlines({}), 1
  local function words(first, last)
    return first <= last and utf8.char(table.unpack(codes, first, last)) or ""
  end
  for at = 1, #codes do
    local last = codes[at] == opening and reading_ends(codes, at)
    if last then
      local first, mark = base_begins(codes, from, at)
      if first then
        found:insert(pandoc.Str(words(from, mark - 1)))
        local said = pandoc.Attr("", { "ruby" }, { said = words(at + 1, last - 1) })
        found:insert(pandoc.Span({ pandoc.Str(words(first, at - 1)) }, said))
        from = last + 1
      end
    end
  end
  found:insert(pandoc.Str(words(from, #codes)))
  return found
end
local function ruby(el)
  if not el.classes:includes("ruby") then return nil end
  local base = pandoc.utils.stringify(el)
  return pandoc.RawInline("typst", "#ruby(" .. quoted(base) .. ", " .. quoted(el.attributes.said) .. ");")
end

-- The path as the project has it: decoded, without the way from the chapter's folder.
local function project_path(source)
  local path = source:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  while path:match("^%.%.?/") do path = path:gsub("^%.%.?/", "") end
  return path
end

-- Only images of the project are shown; any other becomes its alternative text, since Typst would
-- stop at it and pandoc would fetch it from the network. Pandoc's Typst writer drops the
-- alternative text that PDF/UA-1 asks for.
local function image(el)
  local alt = pandoc.utils.stringify(el.caption)
  local file = book.images[project_path(el.src)]
  if not file then return pandoc.Str("[" .. alt .. "]") end
  if FORMAT == "typst" then
    return pandoc.RawInline("typst", "#picture(" .. quoted(file) .. ", " .. quoted(alt) .. ");")
  end
  el.src, el.title, el.attr = file, "", {}
  return el
end

-- Citations and references lead to each other; what is cited again leads back to the first place.
local cited = {}
local function citation(el)
  local kind, number = el.target:match("(%a+):(%d+)$")
  local other = kind == "cite" and "source" or "cite"
  local link = pandoc.Link(el.content, "#" .. other .. "-" .. number)
  if kind == "cite" then link.attr = pandoc.Attr("", {}, { role = "doc-biblioref" }) end
  local id = kind .. "-" .. number
  if cited[id] then return link end
  cited[id] = true
  return pandoc.Span({ link }, pandoc.Attr(id))
end

-- Only whole web and mail addresses stay links; any other keeps its text.
local function link(el)
  if el.target:match("^cite:%d+$") or el.target:match("^source:%d+$") then return citation(el) end
  local web = el.target:match("^https?://[%w.-]+[^%s]*$")
  local mail = el.target:match("^mailto:[%w.+_-]+@[%w.-]+$")
  if not (web or mail) then return el.content end
  local target = el.target:gsub("[^%w%-._~:/?#@!$&'()*+,;=%%]", function(character)
    return string.format("%%%02X", character:byte())
  end)
  local whole = target
  target = whole:gsub("()%%", function(at)
    if not whole:sub(at + 1, at + 2):match("^%x%x$") then return "%25" end
  end)
  local before, after = target:match("^([^#]*)#?(.*)$")
  el.target = before .. (after ~= "" and "#" .. after:gsub("#", "%%23") or "")
  el.title, el.attr = "", {}
  return el
end

-- Ids are made by pandoc alone: doubled ones break an EPUB.
local function plain(el)
  el.attr = {}
  return el
end

-- What is set in a way of its own: divisions of these kinds, small capitals, lines that stay lines.
local kinds = { verse = true, letter = true, sign = true }
local function set_as(kind, blocks)
  if FORMAT ~= "typst" then return pandoc.Div(blocks, pandoc.Attr("", { kind })) end
  local set = pandoc.Blocks({ pandoc.RawBlock("typst", "#" .. kind .. "[") })
  set:extend(blocks)
  set:insert(pandoc.RawBlock("typst", "]"))
  return set
end
local function division(el)
  local kind = el.classes[1]
  return kinds[kind] and set_as(kind, el.content) or el.content
end
local function span(el)
  if el.classes:includes("smallcaps") then return pandoc.SmallCaps(el.content) end
  return plain(el)
end
local function lines(el)
  local has_lines = el.content:find_if(function(one) return one.t == "LineBreak" end)
  if book.marks and FORMAT == "typst" then
    local words = quoted(pandoc.utils.stringify(el))
    el.content:insert(1, pandoc.RawInline("typst", "#page-mark(" .. words .. ");"))
  end
  return has_lines and set_as("lines", { el }) or el
end
-- The foot of a page is no place where one begins.
local function note(el)
  return el:walk({ RawInline = function(one) return one.text:find("^#page%-mark") and {} or nil end })
end

-- A heading without text is none, and no level may be skipped (PDF/UA-1).
local last = 0
-- The references are the last part: their entries hang, and are not justified.
local hanging = pandoc.RawBlock("typst", "#set par(first-line-indent: 0pt, hanging-indent: 1.6em, justify: false)")
local function heading(el)
  if pandoc.utils.stringify(el.content):gsub("[%s%p]", "") == "" then return {} end
  el.level = math.min(el.level, last + 1)
  last, el.attr = el.level, {}
  el.content = el.content:walk({ Span = function(one) return one.classes:includes("ruby") and one.content or nil end })
  if el.level == 1 and book.bibliography ~= "" and pandoc.utils.stringify(el) == book.bibliography then
    el.attr = pandoc.Attr("", {}, { ["epub:type"] = "bibliography" })
    if FORMAT == "typst" then return { el, hanging } end
  end
  return el
end

-- Quotations and lists inside each other: Typst reads only so many levels. Deeper ones are laid out
-- as if they stood one level higher, from the inside out.
local deepest = 12
local function depth(blocks)
  local most = 0
  for _, block in ipairs(blocks) do
    local parts = {}
    if block.t == "BlockQuote" then parts = { block.content } end
    if block.t == "BulletList" or block.t == "OrderedList" then parts = block.content end
    for _, part in ipairs(parts) do most = math.max(most, 1 + depth(part)) end
  end
  return most
end
local function quotation(el)
  if depth({ el }) > deepest then return el.content end
end
local function list(el)
  if depth({ el }) <= deepest then return nil end
  local blocks = pandoc.Blocks({})
  for _, item in ipairs(el.content) do blocks:extend(item) end
  return blocks
end

-- References hang from their numbers, up to the next part.
local function hanging(blocks)
  local found, inside = pandoc.Blocks({}), false
  for _, block in ipairs(blocks) do
    local starts = block.t == "Header" and block.level == 1
    if inside and starts then found:insert(pandoc.RawBlock("typst", "]")) end
    if starts then inside = false end
    found:insert(block)
    if starts and block.attributes["epub:type"] == "bibliography" then
      found:insert(pandoc.RawBlock("typst", "#references["))
      inside = true
    end
  end
  if inside then found:insert(pandoc.RawBlock("typst", "]")) end
  return found
end

local function whole(doc)
  if FORMAT == "typst" then doc.blocks = hanging(doc.blocks) end
  return doc
end

return {
  { RawBlock = raw_block },
  {
    Str = book.references and text or nil,
    RawInline = raw_inline,
    Image = image,
    Link = link,
    Span = span,
    Div = division,
    Code = plain,
    CodeBlock = plain,
    BlockQuote = quotation,
    BulletList = list,
    OrderedList = list,
  },
  { Str = readings },
  { Header = heading, Para = lines },
  { Span = ruby, Note = note },
  { Pandoc = whole },
}
