import{OutdatedSentences,useDropped}from"./parts.js";import{A,Dialog,ErrorMessage,Lines,NameField,Nt,Preview,
Question,address,api,confirmLeave,decoded,ft,go,headingAt,headingKey,isolated,nn,noteHash,numberOf,ot,route,showError,toast,
useAction,useActions,useChanges,useElement,usePreview,ut}from"./main.js";import{openSearchPanel}from"./vendor/editor.js";import{Compartment,Decoration as Decoration2,EditorState,EditorView as EditorView3,HighlightStyle,Tag,ViewPlugin as ViewPlugin2,
autocompletion,completionKeymap,defaultKeymap,deleteMarkupBackward,drawSelection,dropCursor,ensureSyntaxTree,highlightSelectionMatches,
highlightSpecialChars,history,historyKeymap,keymap as keymap2,insertNewlineContinueMarkupCommand,markdown,markdownLanguage,
search,searchKeymap,syntaxHighlighting,syntaxTree as syntaxTree3,tags}from"./vendor/editor.js";import{EditorSelection}from"./vendor/editor.js";var toggleMark=mark=>view=>{let{state}=view;if(state.readOnly)return!1;let result=state.
changeByRange(range=>{let{from,to}=trimmed(state.doc,range.empty?state.wordAt(range.head)??range:range),isOn=isMarked(state.
doc,{from,to},mark),changes=isOn?[{from:from-mark.length,to:from},{from:to,to:to+mark.length}]:[{from,insert:mark},{from:to,
insert:mark}],by=isOn?-mark.length:mark.length,moved=at=>Math.max(from,Math.min(at,to))+by;return{changes,range:EditorSelection.
range(moved(range.anchor),moved(range.head))}});return view.dispatch(state.update(result,{userEvent:"input",scrollIntoView:!0})),
!0};function trimmed(doc,{from,to}){let text=doc.sliceString(from,to),first=from+text.length-text.trimStart().length;return{
from:first,to:Math.max(first,to-text.length+text.trimEnd().length)}}function isMarked(doc,{from,to},mark){let before=/\**$/.
exec(doc.sliceString(Math.max(0,from-3),from))?.[0].length??0,after=/^\**/.exec(doc.sliceString(to,to+3))?.[0].length??0,
stars=Math.min(before,after);return stars===3||stars===mark.length}import{Decoration,EditorView,Prec,ViewPlugin,WidgetType,keymap,syntaxTree}from"./vendor/editor.js";var HIDDEN=Decoration.replace({}),DEEPEST=40,EMBED="WikiEmbed",HEADING=/^(?:ATX|Setext)Heading(\d)$/,MARKS=new Set(["EmphasisMark","StrikethroughMark","HighlightMark","WikiLinkMark"]),LINES={FencedCode:"md-block",CodeBlock:"md-block",Properties:"md-block",Table:"md-table",Blockquote:"md-quoted"},Bullet=class extends WidgetType{eq(){return!0}toDOM(){return Object.assign(
document.createElement("span"),{className:"md-bullet",textContent:"•"})}},Box=class extends WidgetType{constructor(isDone,label){
super(),this.isDone=isDone,this.label=label}eq(other){return other.isDone===this.isDone&&other.label===this.label}toDOM(view){
let box=document.createElement("input");return Object.assign(box,{type:"checkbox",checked:this.isDone,className:"md-box",
tabIndex:-1}),box.setAttribute("aria-label",this.label),box.addEventListener("mousedown",event=>event.preventDefault()),
box.addEventListener("click",event=>{event.preventDefault(),tick(view,view.posAtDOM(box))}),box}};function tick(view,position){
let{from,to}=view.state.doc.lineAt(position),isTask=!1;return syntaxTree(view.state).iterate({from,to,enter:({name,from:at})=>{
if(name!=="TaskMarker"||at<from||isTask)return;isTask=!0;let insert3=view.state.sliceDoc(at+1,at+2)===" "?"x":" ";view.dispatch(
{changes:{from:at+1,to:at+2,insert:insert3},userEvent:"input"})}}),isTask}function decorations({state,visibleRanges}){let isShown=cursorLines(
state),found=[],add=(from,to,decoration=HIDDEN)=>{from<to&&!isShown(from)&&state.doc.lineAt(from).to>=to&&found.push(decoration.
range(from,to))};for(let{from,to}of visibleRanges){let above=[""];syntaxTree(state).iterate({from,to,enter(node){return above.
length>DEEPEST?!1:(decorate(node,above[above.length-1],state,{from,to},add,found),above.push(node.name),!0)},leave:()=>{
above.pop()}})}return Decoration.set(found,!0)}function decorate(node,parent,state,visible,add,found){let{name,from,to}=node,
level=HEADING.exec(name)?.[1],style=level?`md-h${level}`:parent===name?"":LINES[name];if(style&&markLines(state,{from:Math.
max(from,visible.from),to:Math.min(to,visible.to)},style,found),MARKS.has(name)&&parent!==EMBED)add(from,to);else if(name===
"WikiTarget"&&parent!==EMBED&&hasText(node))add(from,to);else if(name==="CodeMark"&&parent==="InlineCode")add(from,to);else if(name===
"HeaderMark"&&parent.startsWith("ATX"))add(...withBlank(state,from,to));else if(name==="QuoteMark")add(...withBlank(state,
from,to));else if(name==="Link")hideAddress(node,add);else if(name==="ListMark"&&parent==="ListItem"){let start=state.doc.
lineAt(from).from;start<from&&!state.sliceDoc(start,from).trim()&&found.push(INDENT.range(start,from)),node.node.nextSibling?.
name==="Task"?add(...withBlank(state,from,to)):/^[-*+]$/.test(state.sliceDoc(from,to))&&add(from,to,BULLET)}else if(name===
"TaskMarker"){let label=state.sliceDoc(to,Math.min(state.doc.lineAt(from).to,to+100)).trim()||"Task";add(from,to,Decoration.
replace({widget:new Box(state.sliceDoc(from+1,from+2)!==" ",label)}))}}var INDENT=Decoration.mark({class:"md-indent"}),BULLET=Decoration.
replace({widget:new Bullet}),hasText=({node})=>node.parent?.getChildren("WikiLinkMark").length===3;function hideAddress({
node,to},add){let[first,last]=node.getChildren("LinkMark");!node.getChild("URL")||!last||(add(first.from,first.to),add(last.
from,to))}var withBlank=(state,from,to)=>[from,state.sliceDoc(to,to+1)===" "?to+1:to];function markLines({doc},{from,to},style,found){
for(let at=from;at<=to;at=doc.lineAt(at).to+1)found.push(Decoration.line({class:style}).range(doc.lineAt(at).from))}function cursorLines({
doc,selection}){let lines=selection.ranges.map(({from,to})=>({from:doc.lineAt(from).from,to:doc.lineAt(to).to}));return at=>lines.
some(({from,to})=>at>=from&&at<=to)}var plugin=ViewPlugin.define(view=>({shown:decorations(view),isPressed:!1,update(update){
let isParsed=syntaxTree(update.startState)!==syntaxTree(update.state);(update.docChanged||update.viewportChanged||isParsed||
!this.isPressed)&&(this.shown=decorations(update.view))}}),{decorations:one=>one.shown,eventObservers:{mousedown(_,view){
this.isPressed=!0;let stop=new AbortController,release=()=>{stop.abort(),this.isPressed=!1,view.dom.isConnected&&view.dispatch(
{})};for(let kind of["mouseup","dragend","blur"])addEventListener(kind,release,{signal:stop.signal})}}}),livePreview=[plugin,
EditorView.editorAttributes.of({class:"md-live"})];function follow({state},position){let textOf=node=>node?state.sliceDoc(
node.from,node.to):"";for(let node=syntaxTree(state).resolveInner(position,1);node;){if(node.name==="WikiLink"||node.name===
EMBED){let[target,...subpath]=textOf(node.getChild("WikiTarget")).split("#");return go(noteHash(target.trim()||(route.peek().
name??""),subpath.map(part=>`#${part}`).join(""))),!0}let address2=node.name==="URL"?node:node.getChild("URL");if(address2){
let written=textOf(address2);return/^https?:/i.test(written)?open(written,"_blank","noopener,noreferrer"):go(noteHash(decoded(
written).replace(/\.md$/i,""))),!0}node=node.parent}return!1}var actingKeys=[Prec.high(keymap.of([{key:"Mod-Enter",run:view=>tick(
view,view.state.selection.main.head)},{key:"Alt-Enter",run:view=>follow(view,view.state.selection.main.head)}])),EditorView.
domEventHandlers({mousedown(event,view){let at=event.ctrlKey||event.metaKey?view.posAtCoords({x:event.clientX,y:event.clientY}):
null,isLink=event.button===0&&at!==null&&follow(view,at);return isLink&&event.preventDefault(),isLink}})];import{EditorView as EditorView2,syntaxTree as syntaxTree2}from"./vendor/editor.js";var LARGEST=16e6,LONGEST=2e6,FORMATTED="a[href], b, strong, i, em, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, code, img, hr",RAW=/^(?:FencedCode|CodeBlock|CodeText|InlineCode|Properties|HTMLBlock|Comment)/,pasting=session=>EditorView2.
domEventHandlers({paste:(event,view)=>take(event,event.clipboardData,view,view.state.selection.main.head,session),drop:(event,view)=>{
let at=view.posAtCoords({x:event.clientX,y:event.clientY})??view.state.selection.main.head;return filesIn(event.dataTransfer).
length>0&&take(event,event.dataTransfer,view,at,session)}});function take(event,data,view,at,session){if(!data||view.state.
readOnly)return!1;let html=data.getData("text/html"),body=html&&html.length<=LONGEST?parsed(html):null,isText=!!body?.textContent?.
trim(),files=isText?[]:filesIn(data);if(files.length)store(files,view,at,session);else if(body&&isText&&body.querySelector(
FORMATTED)&&!isRaw(view))convert(body,data.getData("text"),view);else return!1;return event.preventDefault(),!0}function parsed(html){
let unstyled=withoutStyles(html).replace(/<[a-z][^<>]*>/gi,tag=>tag.replace(/\sstyle\s*=/gi," data-style="));return new DOMParser().
parseFromString(unstyled,"text/html").body}function withoutStyles(html){let begin=/<style\b/gi,end=/<\/style\s*>/gi,plain="";
for(let from=0;;){begin.lastIndex=from;let found=begin.exec(html);if(!found)return plain+html.slice(from);if(plain+=html.
slice(from,found.index),end.lastIndex=found.index,!end.exec(html))return plain;from=end.lastIndex}}function isRaw({state}){
for(let node=syntaxTree2(state).resolveInner(state.selection.main.from,-1);;){if(RAW.test(node.name))return!0;if(!node.parent)
return!1;node=node.parent}}var filesIn=data=>[...data?.files??[]];function storeAtEnd(files,view,session){let{doc}=view.
state,before=doc.length===0?"":doc.line(doc.lines).length?`

`:`
`;return view.dispatch({selection:{anchor:doc.length},scrollIntoView:!0}),store(files,view,doc.length,session,before)}async function store(files,view,at,session,before=""){
let place=follow2(view,at),between=before;for(let[number,file]of files.entries()){let which=files.length>1?`${number+1} of ${files.length}`:"",link=await stored(file,which,session).catch(error=>toast(`“${file.name}” is not stored. ${error.
message}`,"error"));if(link){if(!view.dom.isConnected){toast(`“${file.name}” is not kept, since you left the note before it was stored.`,"error"),session.takeBack().catch(showError);break}insert(view,place.now,between+link),between=`
`}}place.stop()}async function stored(file,which,session){if(file.size>LARGEST)throw new Error("It has more than 16 MB: make it smaller, or put it into the vault by hand.");let data=await base64(file),title=/^image\.\w+$/.test(file.name)?"":
file.name,report=share=>session.storing.value={name:file.name,which,share};report(0);try{let{path,embed,remarks}=await api.
attach({note:session.name,title,data},report);session.attached.push(path);for(let remark of remarks)toast(remark);return embed}finally{
session.storing.value=null}}var waiting=new Set([]);function follow2(view,now){let place={view,now,stop:()=>waiting.delete(
place)};return waiting.add(place),place}var followed=EditorView2.updateListener.of(({view,changes})=>{for(let place of waiting)
place.view===view&&(place.now=changes.mapPos(place.now,1))});async function base64(file){let reader=new FileReader;return await new Promise(
(resolve,reject)=>{reader.onload=resolve,reader.onerror=()=>reject(new Error("It cannot be read; if it is a folder, drop the files in it.")),reader.readAsDataURL(file)}),String(reader.result).replace(/^[^,]*,/,"")}async function convert(body,text,view){
let markdown2=await import("./markdown.js").then(({fromHtml})=>fromHtml(body)).catch(()=>text);view.dispatch(
view.state.replaceSelection(markdown2||text),{userEvent:"input.paste",scrollIntoView:!0})}function insert(view,at,text){
let selection=view.state.selection.main.empty&&view.state.selection.main.head===at?{anchor:at+text.length}:void 0;view.dispatch(
{changes:{from:at,insert:text},selection,userEvent:"input.paste"})}var OPEN_LINK=/\[\[([^[\]\n|#]*)$/,[EXCLAMATION,OPENING,CLOSING,BAR,BACKSLASH,EQUALS]=[..."![]|\\="].map(one=>one.charCodeAt(
0)),ENDS=new Set([OPENING,CLOSING,10,-1]),PARSED_MS=500,LONGEST_TURNED=5e3,MOST_NAMES=12,styleNonce=document.querySelector(
'meta[name="style-nonce"]')?.getAttribute("content")??"",marks=[{key:"Enter",run:insertNewlineContinueMarkupCommand({nonTightLists:!1})},
{key:"Backspace",run:deleteMarkupBackward}],wikiLink=Tag.define(),STYLES=[[tags.heading,"heading"],[tags.strong,"strong"],
[tags.emphasis,"emphasis"],[tags.strikethrough,"struck"],[tags.monospace,"code"],[tags.link,"link"],[tags.url,"link"],[tags.
quote,"quote"],[tags.meta,"properties"],[tags.processingInstruction,"mark"],[tags.contentSeparator,"mark"],[wikiLink,"wikilink"],[tags.special(tags.content),"highlight"]],highlight=HighlightStyle.define(STYLES.map(([tag,name])=>({tag,class:`md-${name}`}))),properties={defineNodes:[{name:"Properties",block:!0,style:tags.meta}],parseBlock:[{name:"Properties",before:"HorizontalRule",parse(context,line){if(context.lineStart!==0||line.text.trimEnd()!=="---")return!1;for(;context.nextLine()&&
line.text.trimEnd()!=="---";);return context.nextLine(),context.addElement(context.elt("Properties",0,context.prevLineEnd())),
!0}}]},marked={resolve:"Highlight",mark:"HighlightMark"},highlights={defineNodes:[{name:"Highlight",style:{"Highlight/...":tags.special(tags.content)}},{name:"HighlightMark"}],parseInline:[{name:"Highlight",after:"Emphasis",parse(context,next,start){
if(next!==EQUALS||context.char(start+1)!==EQUALS||context.char(start+2)===EQUALS)return-1;let[before,after]=[context.slice(
start-1,start),context.slice(start+2,start+3)];return context.addDelimiter(marked,start,start+2,/\S/.test(after),/\S/.test(
before))}}]},links={defineNodes:[{name:"WikiLink",style:{"WikiLink/...":wikiLink}},{name:"WikiEmbed",style:{"WikiEmbed/...":wikiLink}},{name:"WikiLinkMark"},{name:"WikiTarget"}],parseInline:[{name:"WikiLink",before:"Link",parse(context,next,start){
let isEmbed=next===EXCLAMATION,open2=isEmbed?start+1:start;if(context.char(open2)!==OPENING||context.char(open2+1)!==OPENING)
return-1;let[at,bar]=[open2+2,0];for(;!ENDS.has(context.char(at));at+=1)!bar&&context.char(at)===BAR&&(bar=at);if(at===open2+
2||context.char(at)!==CLOSING||context.char(at+1)!==CLOSING)return-1;let end=bar?bar-+(context.char(bar-1)===BACKSLASH):
at,mark=(from,to)=>context.elt("WikiLinkMark",from,to),text=bar?[mark(end,bar+1)]:[],parts=[mark(start,open2+2),context.
elt("WikiTarget",open2+2,end),...text,mark(at,at+2)];return context.addElement(context.elt(isEmbed?"WikiEmbed":"WikiLink",
start,at+2,parts))}}]},AUTO=Decoration2.line({attributes:{dir:"auto"}}),directions=ViewPlugin2.define(view=>({lines:linesShown(
view),update(update){(update.docChanged||update.viewportChanged)&&(this.lines=linesShown(update.view))}}),{decorations:plugin2=>plugin2.
lines});function linesShown({state:{doc},visibleRanges}){let lines=[];for(let{from,to}of visibleRanges)for(let at=from;at<=
to;){let line=doc.lineAt(at);line.length<=LONGEST_TURNED&&lines.push(AUTO.range(line.from)),at=line.to+1}return Decoration2.
set(lines,!0)}function basics(label){return[EditorState.lineSeparator.of(`
`),EditorView3.clipboardInputFilter.of(text=>text.replace(/\r\n?/g,`
`)),EditorView3.cspNonce.of(styleNonce),EditorView3.contentAttributes.of({"aria-label":label,tabindex:"0",spellcheck:"true",autocorrect:"on",autocapitalize:"on"}),EditorView3.lineWrapping,EditorView3.perLineTextDirection.of(!0),directions,highlightSpecialChars(),
drawSelection(),markdown({base:markdownLanguage,addKeymap:!1,completeHTMLTags:!1,extensions:[properties,highlights,links]}),
syntaxHighlighting(highlight),keymap2.of([...marks,...defaultKeymap])]}function forShownList(binding){return binding.key!==
"Escape"?binding:{key:"Escape",run(view){let isShown=view.dom.querySelector(".cm-tooltip-autocomplete")!==null;return binding.
run?.(view),isShown}}}function writing({onChange,onSave}){let save={key:"Mod-s",preventDefault:!0,run:()=>(onSave(),!0)},
bold={key:"Mod-b",preventDefault:!0,run:toggleMark("**")},italic={key:"Mod-i",preventDefault:!0,run:toggleMark("*")};return[
keymap2.of([save,bold,italic,...completionKeymap.map(forShownList),...searchKeymap,...historyKeymap]),history(),dropCursor(),
search({top:!0}),highlightSelectionMatches(),autocompletion({override:[completeLink],icons:!1,activateOnTypingDelay:60}),
EditorView3.updateListener.of(update=>{update.docChanged&&onChange()})]}function createEditor({parent,text,label,onChange,
onSave,session,line,isSource}){let preview=new Compartment,shown=asSource=>asSource?[]:livePreview,state=EditorState.create(
{doc:text,extensions:[preview.of(shown(isSource)),actingKeys,pasting(session),followed,writing({onChange,onSave}),basics(
label)]}),{from}=state.doc.line(Math.min(line+1,state.doc.lines)),view=new EditorView3({parent,state:state.update({selection:{
anchor:from}}).state,scrollTo:from?EditorView3.scrollIntoView(from,{y:"start",yMargin:0}):void 0});return{view,read:()=>view.
state.doc.toString(),write:next=>rewrite(view,next),showSource:wanted=>view.dispatch({effects:preview.reconfigure(shown(
wanted))}),goTo(subpath){let place=headingAt(headingsOf(view.state),subpath);place&&(view.dispatch({selection:{anchor:place.
from},effects:EditorView3.scrollIntoView(place.from,{y:"start",yMargin:0})}),view.focus())},movedTo(){let{scrollTop,scrollHeight,
clientHeight}=view.scrollDOM,top=view.state.doc.lineAt(view.lineBlockAtHeight(scrollTop).from).number-1,isAtEnd=scrollTop+
clientHeight>scrollHeight-2;return top===line||isAtEnd&&top<line?null:top}}}function headingsOf(state){let headings=[];return(ensureSyntaxTree(
state,state.doc.length,PARSED_MS)??syntaxTree3(state)).iterate({enter({name,from}){let level=Number(/^(?:ATX|Setext)Heading(\d)$/.
exec(name)?.[1]??0);level&&headings.push({level,key:headingKey(state.doc.lineAt(from).text),from})}}),headings}function rewrite(view,next){
let old=view.state.doc.toString(),most=Math.min(old.length,next.length),from=0;for(;from<most&&old[from]===next[from];)from+=
1;let same=0;for(;same<most-from&&old[old.length-1-same]===next[next.length-1-same];)same+=1;view.dispatch({changes:{from,
to:old.length-same,insert:next.slice(from,next.length-same)}})}async function completeLink(context){let match=context.matchBefore(
OPEN_LINK);if(!match)return null;let from=match.from+2,stop=new AbortController;context.addEventListener("abort",()=>stop.
abort());let typed=context.state.sliceDoc(from,context.pos),response=await api.names(typed,MOST_NAMES,stop.signal).catch(
()=>null);return!response||context.aborted?null:{from,filter:!1,options:response.names.map(name=>({label:name,apply:insert2}))}}
function insert2(view,{label},from,to){let closed=view.state.sliceDoc(to,to+2)==="]]";view.dispatch({changes:{from,to,insert:closed?
label:`${label}]]`},selection:{anchor:from+label.length+2},userEvent:"input.complete"})}import{EditorState as EditorState2,EditorView as EditorView4,MergeView,getChunks,goToNextChunk,goToPreviousChunk,unifiedMergeView}from"./vendor/editor.js";var NARROW=640,COLLAPSED={margin:3,minSize:8},NAMES={edited:{left:"Saved by others",right:"Your text, to be saved",theirs:"theirs",mine:"mine",first:"yours",both:"Put their lines below yours"},proposed:{left:"The note now",right:"With the proposed edit, to be saved",theirs:"the note",mine:"the proposal",first:"the proposed ones",both:"Put the lines of the note below the proposed ones"}};function Conflict({session}){let{theirs,text,conflicts}=session.conflict.value,texts={base:session.
base.text,mine:session.read(),theirs:theirs.text,text,conflicts};return nn`<${TwoVersions} kind="edited" name=${session.
name} texts=${texts} onSave=${session.resolve.bind(session)}
    onChange=${session.merging.bind(session)} onBack=${()=>session.postpone()} back="Back to my text" />`}function TwoVersions({
kind,name,texts,onSave,onChange,onBack,back}){let{base,mine,theirs,text,conflicts}=texts,names=NAMES[kind],places=numberOf(
conflicts.length,"place"),mount=useElement(HTMLDivElement),merge=ft(null),[left,setLeft]=ot(0),[beside,setBeside]=ot(!1),
save=useAction(async()=>merge.current&&onSave(merge.current.read())),fill=whole=>merge.current?.write(whole),keep=useAction(
async()=>fill((await api.merge({base,mine,theirs,keep_both:!0})).text));return ut(()=>{let changed=state=>{setLeft(getChunks(
state)?.chunks.length??0),onChange?.(state.doc.toString())},narrow=mount.current.clientWidth<NARROW;setBeside(!narrow);let shown=(narrow?
unified:sideBySide)({parent:mount.current,theirs,text,names,changed,save:save.act});return merge.current=shown,setLeft(getChunks(
shown.view.state)?.chunks.length??0),shown.view.focus(),()=>shown.destroy()},[theirs]),nn`<section class="conflict" aria-labelledby="conflict-title">
    <h3 id="conflict-title">Two versions of ${name}</h3>
    <p role="status">
      ${conflicts.length?`In ${places} both changed the same lines. The text below has ${names.first} at first.`:"No line was changed by both. The text below has the changes of both."}
      ${` It differs from what is saved in ${numberOf(left,"place")}.`}
    </p>
    <div class="toolbar" role="toolbar" aria-label="Merging">
      <button type="button" class="primary" onClick=${save.act} disabled=${save.busy}>Save this text</button>
      <button type="button" onClick=${()=>fill(theirs)}>Take all of ${names.theirs}</button>
      <button type="button" onClick=${()=>fill(mine)}>Take all of ${names.mine}</button>
      ${conflicts.length>0&&nn`<button type="button" title=${names.both} onClick=${keep.act}
          disabled=${keep.busy}>Keep both</button>`}
      <button type="button" onClick=${()=>merge.current&&goToPreviousChunk(merge.current.view)}>Previous</button>
      <button type="button" onClick=${()=>merge.current&&goToNextChunk(merge.current.view)}>Next</button>
      <button type="button" onClick=${onBack}>${back}</button>
    </div>
    <${ErrorMessage} error=${keep.error??save.error} />
    <div class="sides" aria-hidden="true" hidden=${!beside}><span>${names.left}</span><span>${names.right}</span></div>
    <div class="merge" ref=${mount}></div>
  </section>`}function sideBySide({parent,theirs,text,names,changed,save}){let still=[EditorState2.readOnly.of(!0),EditorView4.
editable.of(!1)],views=new MergeView({parent,a:{doc:theirs,extensions:[basics(names.left),still]},b:{doc:text,extensions:[
basics(names.right),...reporting(changed,save)]},revertControls:"a-to-b",renderRevertControl:()=>takeButton(`Take ${names.
theirs} →`,()=>views.b.focus()),collapseUnchanged:COLLAPSED});return{view:views.b,...access(views.b),destroy:()=>views.
destroy()}}function unified({parent,theirs,text,names,changed,save}){let plain=EditorState2.create({doc:theirs,extensions:EditorState2.
lineSeparator.of(`
`)}),mergeControls=(type,act)=>{let button=plainButton(type==="accept"?`Keep ${names.mine}`:`Take ${names.theirs}`);return button.
onclick=act,button},compared=unifiedMergeView({original:plain.doc,mergeControls,collapseUnchanged:COLLAPSED}),extensions=[
basics(names.right),...reporting(changed,save),compared],view=new EditorView4({parent,state:EditorState2.create({doc:text,
extensions})});return{view,...access(view),destroy:()=>view.destroy()}}function reporting(changed,save){let chunks=state=>getChunks(
state)?.chunks,after=EditorView4.updateListener.of(({docChanged,startState,state})=>{(docChanged||chunks(startState)!==chunks(
state))&&changed(state)});return[writing({onChange:()=>{},onSave:save}),after]}var access=view=>({read:()=>view.state.doc.
toString(),write:whole=>view.dispatch({changes:{from:0,to:view.state.doc.length,insert:whole}})});function plainButton(text){
let button=document.createElement("button");return Object.assign(button,{type:"button",textContent:text,className:"take"}),
button}function takeButton(text,then){let button=plainButton(text);return button.addEventListener("click",event=>{event.
detail===0&&button.dispatchEvent(new MouseEvent("mousedown",{bubbles:!0,cancelable:!0})),then()}),button}function Extract({session,passage,onClose}){let[newName,setNewName]=ot(""),unsaved=session.dirty.value||!session.base.etag,
body={name:session.name,content:passage,new_name:newName.trim()},ready=passage.trim()&&body.new_name&&!unsaved,state=usePreview(
"extract",ready?body:null),{act,busy,error}=useAction(async()=>{let{note}=await api.extract(body);await session.refresh(),
toast([`${note.outcome==="appended"?"Added to":"Moved to"} ${note.name}.`,...note.remarks].join(" ")),onClose()}),appends=state.
plan?.outcome==="appended";return nn`<${Dialog} title=${`Extract from ${isolated(session.name)}`} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      ${passage.trim()?nn`<blockquote class="passage" tabindex="0" role="group" aria-label="The passage">${passage}</blockquote>`:
nn`<p>Select the passage to move in the text first.</p>`}
      ${unsaved&&nn`<p class="notice warn">The note has changes that are not
          saved. <button type="button" onClick=${()=>session.save()}>Save them</button></p>`}
      <${ErrorMessage} error=${unsaved?session.saveError.value:null} />
      ${passage.trim()&&nn`<${NameField} label="Name of the note that gets it" value=${newName} onInput=${setNewName}
          hint="A link to it takes the place of the passage. Without a folder, a new note is in the folder of this note;
            put a / in front for the root of the vault." />`}
      <${Preview} state=${state}
        summary=${({name})=>appends?`The passage is added at the end of ${isolated(name)}.`:`A new note, ${isolated(name)}.`} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy||!state.plan}>Extract</button>
      </div>
    </form>
  <//>`}var SOURCE="zkmem:source",NOTICES={changed:who=>`This note was changed by ${who} while you edited it. Your text is untouched. Saving merges the two, or shows where they differ.`,gone:()=>"This note was deleted or renamed while you edited it. Your text is untouched; saving creates the note again.","taken over":who=>`This note was changed by ${who} just now. You see the new text.`};function Editor({session,line,onClose}){let mount=useElement(HTMLDivElement),editor=ft(null),[leaving,
setLeaving]=ot(null),[passage,setPassage]=ot(null),[isSource,setSource]=ot(localStorage.getItem(SOURCE)==="on"),save=()=>session.
save();useChanges(names=>session.checkForChanges(names)),ut(()=>{let label=`Text of ${session.name}`,created=createEditor(
{parent:mount.current,text:session.start,label,onChange:()=>session.typed(),onSave:save,session,line,isSource});editor.current=
created,session.attach(created),document.getElementById("panel")?.scrollTo({top:0,behavior:"instant"}),created.view.focus(),
session.restored&&session.checkForChanges(null),session.waiting.length&&storeAtEnd(session.waiting.splice(0),created.view,
session);let keep=()=>session.keep();return addEventListener("pagehide",keep),()=>{removeEventListener("pagehide",keep),
session.start=created.read(),created.view.destroy(),session.takeBack().catch(showError)}},[session]);let{position}=address.
value,opened=ft(position);ut(()=>{position!==opened.current&&editor.current?.goTo(route.peek().subpath),opened.current=position},
[position]);let toggleSource=()=>{editor.current?.showSource(!isSource),localStorage.setItem(SOURCE,isSource?"off":"on"),
setSource(!isSource)};useDropped(files=>{if(!editor.current||session.conflict.value)return toast("Choose between the two versions first.","error");let{view}=editor.current;return store(files,view,view.state.selection.main.head,session)});let ask=()=>new Promise(
resolve=>setLeaving({answer:resolve}));ut(()=>{let press=event=>{let act={s:save,e:toggleSource}[event.key];!act||!(event.
ctrlKey||event.metaKey)||event.altKey||event.defaultPrevented||(event.preventDefault(),!session.conflict.value&&!document.
querySelector("dialog[open]")&&act())};return addEventListener("keydown",press),()=>removeEventListener("keydown",press)},
[session,isSource]);let answer=leave=>{leaving?.answer(leave),setLeaving(null)};Nt(()=>{if(!leaving)return;let turnBack=()=>answer(
!1);return addEventListener("hashchange",turnBack),()=>removeEventListener("hashchange",turnBack)},[leaving]),ut(()=>{let stop=A(
()=>{confirmLeave.value=session.dirty.value?ask:null});return()=>{stop(),confirmLeave.value=null}},[session]);let close=async()=>{
session.busy.value&&await session.saving,(!session.dirty.value||await ask())&&onClose(editor.current?.movedTo()??null)},
extract=()=>{if(!editor.current)return;let{state}=editor.current.view;setPassage(state.sliceDoc(state.selection.main.from,
state.selection.main.to))},find=()=>editor.current&&openSearchPanel(editor.current.view);useActions([{title:"Save",hint:"Ctrl S",act:save},{title:"Finish editing",hint:"Esc",act:close},{title:"Extract the selected passage…",act:extract},{title:"Find in this note",hint:"Ctrl F",act:find},{title:isSource?"Live preview":"Source: show all marks",hint:"Ctrl E",act:toggleSource}]);
let onKeyDown=event=>{event.key==="Escape"&&!event.defaultPrevented&&!event.isComposing&&(event.preventDefault(),close()),
stopUsedKeys(event)};return nn`<section class="editor" aria-label=${`Editing ${session.name}`}>
    <div class="toolbar" role="toolbar" aria-label="Editing" hidden=${!!session.conflict.value}>
      <button type="button" class="primary" aria-keyshortcuts="Control+S Meta+S" onClick=${save}
        aria-disabled=${session.busy.value}>Save</button>
      <button type="button" onClick=${close}>Done</button>
      <button type="button" onClick=${extract} title="Move the selected passage to a note of its own">Extract…</button>
      <button type="button" onClick=${find}>Find</button>
      <button type="button" aria-pressed=${isSource} aria-keyshortcuts="Control+E Meta+E"
        title="Show all marks, as in the file (Ctrl E)" onClick=${toggleSource}>Source</button>
      <${Status} session=${session} />
    </div>
    <${Notices} session=${session} again=${save} />
    <div class="text" ref=${mount} hidden=${!!session.conflict.value} onKeyDown=${onKeyDown}></div>
    ${session.conflict.value&&nn`<${Conflict} session=${session} />`}
    ${leaving&&nn`<${Leaving} session=${session} answer=${answer} />`}
    ${passage!==null&&nn`<${Extract} session=${session} passage=${passage} onClose=${()=>setPassage(null)} />`}
  </section>`}var stopUsedKeys=event=>event.defaultPrevented&&event.stopPropagation();function Status({session}){let{busy,dirty,lastSave,
storing}=session,{name="",which="",share=0}=storing.value??{},status=busy.value?"Saving…":dirty.value?"Not saved":lastSave.
value?"Saved":session.base.etag?"":"New note";return nn`<span class=${dirty.value?"status unsaved":"status"} role="status">${status}</span>
    <span class="storing" role="status">${name&&`Storing “${isolated(name)}”${which&&`, ${which}`}…`}</span>
    ${name&&nn`<progress value=${share} aria-label="Part that is sent" />`}`}function Notices({session,again}){let{saveError,
unsaveable,conflict,lastSave}=session;return nn`
    ${session.restored&&session.dirty.value&&nn`<p class="notice">This is what you typed before. It is not saved yet.</p>`}
    ${unsaveable.value&&nn`<p class="notice warn" role="alert">The browser has no room to keep your text: save before you reload or
        close the page.</p>`}
    ${saveError.value&&nn`<${ErrorMessage} error=${{message:`Not saved. ${saveError.value.message}`}} again=${again} />`}
    ${!conflict.value&&nn`<${RemoteChangeNotice} session=${session} />`}
    ${lastSave.value&&nn`<${Merged} saved=${lastSave.value} />`}
  `}function Leaving({session,answer}){let save=async()=>answer(await session.save()&&!session.dirty.value),discard=()=>{
session.discard(),answer(!0)};return nn`<${Question} title="Unsaved changes" yes="Discard" no="Keep editing" danger
    onAnswer=${yes=>yes?discard():answer(!1)}
    also=${nn`<button type="button" class="primary" onClick=${save}>Save</button>`}>
    <p>Your changes in <strong>${session.name}</strong> are not saved.</p>
  <//>`}function RemoteChangeNotice({session}){let change=session.remoteChange.value;if(!change)return null;let close=()=>session.
remoteChange.value=null;return nn`<div class=${change==="taken over"?"notice":"notice warn"} role="status">
    <p>${NOTICES[change](session.author.value)}</p>
    ${change==="changed"&&nn`<button type="button" onClick=${()=>compare(session)}>Compare</button>`}
    ${change==="taken over"&&nn`<button type="button" onClick=${close}>OK</button>`}
  </div>`}var compare=session=>session.compare().catch(error=>session.saveError.value=error);function Merged({saved:{merged,
remarks,relinked,outdated}}){let changes=merged.filter(line=>/^[+-]/.test(line)),others=relinked.length>0&&`Links in ${relinked.
map(isolated).join(", ")} were made longer, so that they still lead to the same notes.`;return!merged.length&&!remarks.length&&
!others?null:nn`<div class="notice" role="status">
    ${merged.length>0&&nn`<p>Saved, and merged with the changes of others: ${numberOf(changes.length,"line")}.</p>
      <${Lines} lines=${merged} label="Lines that came from others" />`}
    ${remarks.map(remark=>nn`<p key=${remark}>${remark}</p>`)} ${others&&nn`<p>${others}</p>`}
    <${OutdatedSentences} outdated=${outdated} />
  </div>`}export{Editor,Merged,TwoVersions};
